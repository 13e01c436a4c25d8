package dev.weir.cli.simulation;

import java.util.Map;
import java.util.TreeMap;

/** Requests and refusals by hour of the log. Not thread-safe. */
public final class HourCounts {
    private static final long HOUR_MICROS = 3_600_000_000L;

    private final TreeMap<Long, Hour> hours = new TreeMap<>();
    private Hour last = new Hour();
    private long lastHour = Long.MIN_VALUE;

    /** The counts of one hour. */
    public static final class Hour {
        private long asked;
        private long refused;

        public long asked() {
            return asked;
        }

        public long refused() {
            return refused;
        }
    }

    void ask(long micros) {
        hour(micros).asked++;
    }

    void refuse(long micros) {
        hour(micros).refused++;
    }

    private Hour hour(long micros) {
        long hour = Math.floorDiv(micros, HOUR_MICROS);
        if (hour != lastHour) {
            last = hours.computeIfAbsent(hour, unused -> new Hour());
            lastHour = hour;
        }
        return last;
    }

    /** The counts by hours since 1970, in their order; hours without a request are missing. */
    public Map<Long, Hour> byHour() {
        return hours;
    }
}
