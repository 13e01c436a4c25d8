package dev.weir.engine.event;

/**
 * Hears events. It is called by one thread at a time, once for each event that found room in its buffer. It may be slow
 * or throw: nobody waits for it, and only its own buffer fills.
 */
@FunctionalInterface
public interface EventListener {
    void on(Event event);

    /**
     * Whether it wants to hear of requests that simply passed, which are most. Asked once, when it subscribes; when no
     * listener does, such events are not even made.
     */
    default boolean wantsAllowed() {
        return true;
    }
}
