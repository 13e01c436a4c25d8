package dev.weir.engine;

/** One decision that is traced. One of its methods is called, once, in any thread. */
public interface DecisionTrace {
    /**
     * Called when the decision is made.
     *
     * @param storeNanos the time that the store took to decide the enforced limits; 0 if it was not called
     */
    void end(Outcome outcome, long storeNanos);

    /** Called when the request could not be decided, because the caller used the engine wrongly. */
    void fail(RuntimeException cause);
}
