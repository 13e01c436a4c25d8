package dev.weir.engine.guard;

/** Hears how long each call of a store took. It is called on the path of decisions, so it must be quick. */
@FunctionalInterface
public interface CallTimer {
    /**
     * A call ended.
     *
     * @param answered false if it failed or took too long
     */
    void took(StoreCall call, long nanos, boolean answered);
}
