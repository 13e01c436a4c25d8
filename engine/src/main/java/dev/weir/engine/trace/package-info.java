/** The engine's traces for OpenTelemetry. Only this package needs its API on the class path. */
@NullMarked
package dev.weir.engine.trace;

import org.jspecify.annotations.NullMarked;
