package dev.weir.engine.event;

/**
 * Hears events. It is called by one thread at a time, once for each event that found room in its buffer. It may be slow
 * or throw: nobody waits for it, and only its own buffer fills.
 */
@FunctionalInterface
public interface EventListener {
    void on(Event event);
}
