package dev.weir;

/**
 * So many slots, each held by a lease until it is released or expires.
 *
 * <p>Slots are taken with {@link Store#acquire}, never with {@link Store#consume}: what is not released would be gone.
 *
 * @param slots how many units may be held at once, 1 to {@link Policy#MAX_COUNT}
 */
public record Concurrency(long slots) implements Policy {
    public Concurrency {
        Require.count("slots", slots);
    }

    public static Concurrency of(long slots) {
        return new Concurrency(slots);
    }

    @Override
    public long capacity() {
        return slots;
    }
}
