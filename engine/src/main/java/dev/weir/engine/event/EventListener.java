package dev.weir.engine.event;

/**
 * Receives events. It is called by one thread at a time, once for each event that found room in its buffer. It may be
 * slow or throw: that delays no other thread, and only its own buffer fills.
 */
@FunctionalInterface
public interface EventListener {
    void on(Event event);

    /**
     * Whether it receives events of allowed requests, which are the most frequent. Called once, when it subscribes. If
     * no listener wants them, such events are not created.
     */
    default boolean wantsAllowed() {
        return true;
    }
}
