package dev.weir;

/**
 * A number of slots, each held by a lease until the lease is released or expires.
 *
 * <p>Slots are taken with {@link Store#acquire}, never with {@link Store#consume}: a consumed slot could not be
 * released.
 *
 * @param slots how many slots may be held at once, 1 to {@link Policy#MAX_COUNT}
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
