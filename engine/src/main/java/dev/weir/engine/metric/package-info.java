/** The engine's metrics for Micrometer. Only this package needs it on the class path. */
@NullMarked
package dev.weir.engine.metric;

import org.jspecify.annotations.NullMarked;
