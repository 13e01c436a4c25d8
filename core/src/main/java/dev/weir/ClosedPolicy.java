package dev.weir;

/** The policy of a limit of zero: every charge is {@linkplain Reading.Impossible impossible}. */
public record ClosedPolicy() implements Policy {
    static final ClosedPolicy INSTANCE = new ClosedPolicy();

    @Override
    public long capacity() {
        return 0;
    }
}
