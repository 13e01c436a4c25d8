package dev.weir.engine.config;

import dev.weir.Policy;
import dev.weir.engine.config.schema.Faults;
import dev.weir.engine.config.schema.Numbers;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Rates in configurations and in the admin API: {@code 60/min}, {@code 1_000 / 30s}, {@code 3}. */
public final class Rates {
    /** Blanks around the slash are allowed. */
    public static final String REGEX = Numbers.REGEX + " */ *(" + Durations.PERIOD_REGEX + "|month)";

    private static final Pattern RATE = Pattern.compile("(" + Numbers.REGEX + ")(?: */ *(.*))?");
    private static final String EXAMPLES = "such as 60/min, 10/s or 500/1h30m";
    private static final List<String> PERIODS =
            List.of("s", "sec", "second", "m", "min", "minute", "h", "hour", "d", "day", "month");
    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofDays(36_525);

    private Rates() {}

    /**
     * Parses a rate; one without a period is a number of slots.
     *
     * @throws IllegalArgumentException if the text is not a rate; the message contains the correct form
     */
    public static Rate parse(String text) {
        Matcher rate = RATE.matcher(text.strip());
        if (!rate.matches()) {
            throw new IllegalArgumentException("it must be a number and a period " + EXAMPLES);
        }
        long count = Numbers.parse(rate.group(1), "");
        if (count > Policy.MAX_COUNT) {
            throw new IllegalArgumentException("its number must be at most " + Policy.MAX_COUNT);
        }
        String period = rate.group(2);
        return period == null ? Rate.slots(count) : new Rate(count, period(period.strip()));
    }

    private static Duration period(String text) {
        if (text.equals("month")) {
            return Rate.MONTH;
        }
        Duration period;
        try {
            period = Durations.parsePeriod(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "its period must be s, min, hour, day, month or a duration " + Durations.EXAMPLES
                            + Faults.didYouMean(text, PERIODS),
                    e);
        }
        if (period.compareTo(SHORTEST) < 0 || period.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("its period must be a millisecond to a hundred years");
        }
        return period;
    }
}
