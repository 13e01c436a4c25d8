package dev.weir.store.cluster;

import dev.weir.CalendarWindow;
import dev.weir.Closed;
import dev.weir.Concurrency;
import dev.weir.FixedWindow;
import dev.weir.Policy;
import dev.weir.SlidingWindow;
import dev.weir.Streak;
import dev.weir.TokenBucket;
import dev.weir.store.raft.BytesIn;
import dev.weir.store.raft.BytesIn.MalformedException;
import dev.weir.store.raft.BytesOut;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;

/** Policies as bytes: a kind, then its numbers. */
final class PolicyCodec {
    private static final int BUCKET = 1;
    private static final int FIXED = 2;
    private static final int CALENDAR = 3;
    private static final int SLIDING = 4;
    private static final int CONCURRENCY = 5;
    private static final int STREAK = 6;
    private static final int CLOSED = 7;

    private PolicyCodec() {}

    static void write(BytesOut out, Policy policy) {
        if (policy instanceof TokenBucket bucket) {
            out.u8(BUCKET);
            out.number(bucket.capacity());
            out.number(bucket.refill());
            write(out, bucket.period());
            out.number(bucket.initial());
        } else if (policy instanceof FixedWindow window) {
            out.u8(FIXED);
            out.number(window.limit());
            write(out, window.period());
        } else if (policy instanceof CalendarWindow window) {
            out.u8(CALENDAR);
            out.number(window.limit());
            out.text(window.unit().name());
            out.text(window.zone().getId());
        } else if (policy instanceof SlidingWindow window) {
            out.u8(SLIDING);
            out.number(window.limit());
            write(out, window.period());
        } else if (policy instanceof Concurrency concurrency) {
            out.u8(CONCURRENCY);
            out.number(concurrency.slots());
        } else if (policy instanceof Streak streak) {
            out.u8(STREAK);
            write(out, streak.quiet());
        } else if (policy instanceof Closed) {
            out.u8(CLOSED);
        } else {
            throw new IllegalArgumentException("unknown policy " + policy);
        }
    }

    /** Reads a policy, which checks its own numbers. */
    static Policy read(BytesIn in) {
        int kind = in.u8();
        try {
            return switch (kind) {
                case BUCKET -> new TokenBucket(in.number(), in.number(), readDuration(in), in.number());
                case FIXED -> new FixedWindow(in.number(), readDuration(in));
                case CALENDAR -> new CalendarWindow(in.number(), ChronoUnit.valueOf(in.text()), ZoneId.of(in.text()));
                case SLIDING -> new SlidingWindow(in.number(), readDuration(in));
                case CONCURRENCY -> new Concurrency(in.number());
                case STREAK -> new Streak(readDuration(in));
                case CLOSED -> Policy.closed();
                default -> throw new MalformedException("unknown kind of policy " + kind);
            };
        } catch (IllegalArgumentException | DateTimeException | ArithmeticException e) {
            throw new MalformedException("no policy: " + e.getMessage());
        }
    }

    private static void write(BytesOut out, Duration duration) {
        out.number(duration.getSeconds());
        out.number(duration.getNano());
    }

    private static Duration readDuration(BytesIn in) {
        return Duration.ofSeconds(in.number(), in.number());
    }
}
