package dev.weir.store.jdbc;

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

/** A policy as a row remembers it: its kind and its numbers, with spaces between; periods in nanoseconds. */
final class PolicyText {
    private PolicyText() {}

    static String format(Policy policy) {
        if (policy instanceof TokenBucket bucket) {
            return "bucket " + bucket.capacity() + ' ' + bucket.refill() + ' '
                    + bucket.period().toNanos() + ' ' + bucket.initial();
        }
        if (policy instanceof FixedWindow window) {
            return "fixed " + window.limit() + ' ' + window.period().toNanos();
        }
        if (policy instanceof SlidingWindow window) {
            return "sliding " + window.limit() + ' ' + window.period().toNanos();
        }
        if (policy instanceof CalendarWindow window) {
            return "calendar " + window.limit() + ' ' + window.unit().name() + ' '
                    + window.zone().getId();
        }
        if (policy instanceof Streak streak) {
            return "streak " + streak.quiet().toNanos();
        }
        return policy instanceof Concurrency slots ? "slots " + slots.slots() : "closed";
    }

    /**
     * The policy that {@link #format} wrote.
     *
     * @throws IllegalArgumentException if it is none
     */
    static Policy parse(String text) {
        String[] parts = text.split(" ", -1);
        try {
            return switch (parts[0]) {
                case "bucket" ->
                    new TokenBucket(number(parts[1]), number(parts[2]), period(parts[3]), number(parts[4]));
                case "fixed" -> new FixedWindow(number(parts[1]), period(parts[2]));
                case "sliding" -> new SlidingWindow(number(parts[1]), period(parts[2]));
                case "calendar" ->
                    new CalendarWindow(number(parts[1]), ChronoUnit.valueOf(parts[2]), ZoneId.of(parts[3]));
                case "streak" -> new Streak(period(parts[1]));
                case "slots" -> new Concurrency(number(parts[1]));
                case "closed" -> Policy.closed();
                default -> throw new IllegalArgumentException("unknown kind '" + parts[0] + "'");
            };
        } catch (RuntimeException e) {
            throw new IllegalArgumentException(
                    "'" + text + "' is no policy that this version knows; a newer one may have written it", e);
        }
    }

    private static Duration period(String nanos) {
        return Duration.ofNanos(number(nanos));
    }

    private static long number(String text) {
        return Long.parseLong(text);
    }
}
