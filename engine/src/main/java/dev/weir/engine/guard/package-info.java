/** What stands between the engine and a store that may fail: deadlines, the circuit breaker, answers on their way. */
@NullMarked
package dev.weir.engine.guard;

import org.jspecify.annotations.NullMarked;
