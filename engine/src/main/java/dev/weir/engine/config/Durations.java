package dev.weir.engine.config;

import dev.weir.DurationText;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations in configurations: {@code 30s}, {@code 5m}, {@code 1h30m}, {@code 500ms}. */
public final class Durations {
    public static final String EXAMPLES = "such as 30s, 5m, 1h30m or 500ms";

    private static final Map<String, Duration> UNITS = units();
    private static final String UNIT = String.join("|", UNITS.keySet());
    private static final Pattern PART = Pattern.compile("(\\d{1,15})(ms|" + UNIT + ")");

    /** A duration as a regular expression for both Java and JSON Schema. */
    public static final String REGEX = "([0-9]{1,15}(ms|" + UNIT + "))+";
    /** The period of a rate: a unit alone, or a duration. */
    static final String PERIOD_REGEX = "(" + UNIT + "|" + REGEX + ")";

    private Durations() {}

    private static Map<String, Duration> units() {
        Map<String, Duration> units =
                new TreeMap<>((a, b) -> a.length() != b.length() ? b.length() - a.length() : a.compareTo(b));
        add(units, Duration.ofSeconds(1), "s", "sec", "second", "seconds");
        add(units, Duration.ofMinutes(1), "m", "min", "minute", "minutes");
        add(units, Duration.ofHours(1), "h", "hour", "hours");
        add(units, Duration.ofDays(1), "d", "day", "days");
        add(units, Duration.ofDays(7), "w", "week", "weeks");
        return units;
    }

    private static void add(Map<String, Duration> units, Duration duration, String... names) {
        for (String name : names) {
            units.put(name, duration);
        }
    }

    /**
     * Parses a duration.
     *
     * @throws IllegalArgumentException if the text is not a duration, or is too long to be represented
     */
    public static Duration parse(String text) {
        Matcher part = PART.matcher(text);
        Duration sum = Duration.ZERO;
        int end = 0;
        try {
            for (; part.lookingAt(); part.region(end, text.length())) {
                long number = Long.parseLong(part.group(1));
                sum = sum.plus(unit(part.group(2)).multipliedBy(number));
                end = part.end();
            }
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException("too long", e);
        }
        if (end == 0 || end < text.length()) {
            throw new IllegalArgumentException("not a duration");
        }
        return sum;
    }

    /** Parses the period of a rate: {@code min}, {@code 30s}. */
    static Duration parsePeriod(String text) {
        Duration unit = UNITS.get(text);
        return unit != null ? unit : parse(text);
    }

    private static Duration unit(String name) {
        Duration unit = UNITS.get(name);
        return unit == null ? Duration.ofMillis(1) : unit;
    }

    /** The period after a rate's slash: {@code min}, {@code 30s}. */
    static String perText(Duration period) {
        if (period.equals(Rate.MONTH)) {
            return "month";
        }
        String text = DurationText.of(period);
        return switch (text) {
            case "1s" -> "s";
            case "1m" -> "min";
            case "1h" -> "hour";
            case "1d" -> "day";
            default -> text;
        };
    }
}
