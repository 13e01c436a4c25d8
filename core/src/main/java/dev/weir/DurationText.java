package dev.weir;

import java.time.Duration;

/** Durations as text for people: {@code 50ms}, {@code 1h30m}, as a configuration writes them. */
public final class DurationText {
    private static final Duration LONGEST = Duration.ofSeconds(Long.MAX_VALUE);
    private static final int NANOS_PER_MICRO = 1_000;
    private static final int NANOS_PER_MILLI = 1_000_000;

    private DurationText() {}

    /** Returns the shortest exact text of a duration. Below a millisecond its units are {@code us} and {@code ns}. */
    public static String of(Duration duration) {
        if (duration.isNegative()) {
            return "-" + of(duration.toSeconds() == Long.MIN_VALUE ? LONGEST : duration.negated());
        }
        StringBuilder text = new StringBuilder();
        append(text, duration.toDaysPart(), "d");
        append(text, duration.toHoursPart(), "h");
        append(text, duration.toMinutesPart(), "m");
        append(text, duration.toSecondsPart(), "s");
        append(text, duration.toMillisPart(), "ms");
        int nanos = duration.toNanosPart() % NANOS_PER_MILLI;
        if (nanos % NANOS_PER_MICRO == 0) {
            append(text, nanos / NANOS_PER_MICRO, "us");
        } else {
            append(text, nanos, "ns");
        }
        return text.isEmpty() ? "0s" : text.toString();
    }

    private static void append(StringBuilder text, long number, String unit) {
        if (number != 0) {
            text.append(number).append(unit);
        }
    }
}
