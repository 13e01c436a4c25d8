/** Protects the engine from a failing store: deadlines and the circuit breaker. */
@NullMarked
package dev.weir.engine.guard;

import org.jspecify.annotations.NullMarked;
