/** What the engine measures, for Micrometer. Only this package needs it on the class path. */
@NullMarked
package dev.weir.engine.metric;

import org.jspecify.annotations.NullMarked;
