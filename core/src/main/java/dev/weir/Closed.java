package dev.weir;

/** The policy of a limit of zero: every charge is {@linkplain Reading.Impossible impossible}. */
public record Closed() implements Policy {
    static final Closed INSTANCE = new Closed();

    @Override
    public long capacity() {
        return 0;
    }
}
