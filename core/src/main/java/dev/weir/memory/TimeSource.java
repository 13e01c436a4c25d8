package dev.weir.memory;

/**
 * A clock that a test gives to a {@link MemoryStore}. It may step anywhere: the store counts a step back as no time at
 * all.
 */
public interface TimeSource {
    /** Nanoseconds since some origin. */
    long nanos();

    /** Milliseconds since 1970 by the wall clock, which calendar windows follow. */
    long epochMillis();
}
