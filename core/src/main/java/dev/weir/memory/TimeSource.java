package dev.weir.memory;

/**
 * A clock that a test passes to a {@link MemoryStore}. It may step in any direction: the store treats a step back as no
 * elapsed time.
 */
public interface TimeSource {
    /** Nanoseconds since an arbitrary origin. */
    long nanos();

    /** Milliseconds since 1970 by the wall clock, which calendar windows follow. */
    long epochMillis();
}
