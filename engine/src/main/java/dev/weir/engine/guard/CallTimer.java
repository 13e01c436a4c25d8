package dev.weir.engine.guard;

/** Called with the duration of each call of a store. It runs on the path of decisions, so it must be fast. */
@FunctionalInterface
public interface CallTimer {
    /**
     * Called when a call has ended.
     *
     * @param answered false if the call failed or timed out
     */
    void took(StoreCall call, long nanos, boolean answered);
}
