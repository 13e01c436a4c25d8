package dev.weir.testkit.history;

import dev.weir.CalendarWindow;
import dev.weir.Concurrency;
import dev.weir.FixedWindow;
import dev.weir.Policy;
import dev.weir.SlidingWindow;
import dev.weir.Streak;
import dev.weir.TokenBucket;
import java.time.Duration;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/** The text form of a policy in golden vectors: its kind and numbers, separated by colons; periods in microseconds. */
final class PolicyText {
    private PolicyText() {}

    static String format(Policy policy) {
        if (policy instanceof TokenBucket bucket) {
            return "token_bucket:" + bucket.capacity() + ":" + bucket.refill() + ":" + micros(bucket.period()) + ":"
                    + bucket.initial();
        }
        if (policy instanceof FixedWindow window) {
            return "fixed_window:" + window.limit() + ":" + micros(window.period());
        }
        if (policy instanceof SlidingWindow window) {
            return "sliding_window:" + window.limit() + ":" + micros(window.period());
        }
        if (policy instanceof Streak streak) {
            return "streak:" + micros(streak.quiet());
        }
        if (policy instanceof CalendarWindow window) {
            return "calendar_window:" + window.limit() + ":"
                    + window.unit().name().toLowerCase(Locale.ROOT) + ":"
                    + window.zone().getId();
        }
        return policy instanceof Concurrency slots ? "concurrency:" + slots.slots() : "closed";
    }

    static Policy parse(String text) {
        String[] parts = text.split(":", -1);
        return switch (parts[0]) {
            case "token_bucket" ->
                new TokenBucket(number(parts[1]), number(parts[2]), period(parts[3]), number(parts[4]));
            case "fixed_window" -> new FixedWindow(number(parts[1]), period(parts[2]));
            case "sliding_window" -> new SlidingWindow(number(parts[1]), period(parts[2]));
            case "streak" -> new Streak(period(parts[1]));
            case "calendar_window" ->
                new CalendarWindow(
                        number(parts[1]), ChronoUnit.valueOf(parts[2].toUpperCase(Locale.ROOT)), ZoneId.of(parts[3]));
            case "concurrency" -> new Concurrency(number(parts[1]));
            case "closed" -> Policy.closed();
            default -> throw new IllegalArgumentException("unknown policy '" + text + "'");
        };
    }

    /** Rejects a policy whose period is not a whole number of microseconds, because the text cannot represent it. */
    static Policy requireWritable(Policy policy) {
        if (!parse(format(policy)).equals(policy)) {
            throw new IllegalArgumentException(policy + " cannot be written in whole microseconds");
        }
        return policy;
    }

    static long micros(Duration duration) {
        return Math.addExact(Math.multiplyExact(duration.getSeconds(), 1_000_000), duration.getNano() / 1_000);
    }

    static Duration ofMicros(long micros) {
        return Duration.ofSeconds(micros / 1_000_000, micros % 1_000_000 * 1_000);
    }

    private static Duration period(String micros) {
        return ofMicros(number(micros));
    }

    private static long number(String text) {
        return Long.parseLong(text);
    }
}
