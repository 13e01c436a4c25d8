package dev.weir.engine;

import java.util.List;

/** Traces decisions. It runs on the path of decisions, so it must be fast; it must not throw. Thread-safe. */
@FunctionalInterface
public interface DecisionTracer {
    /**
     * Called before a decision, in the thread of its caller.
     *
     * @param limits the names of the limits that apply, outermost first; shadow limits are at the end
     * @return gets the end of this decision
     */
    DecisionTrace begin(List<String> limits);
}
