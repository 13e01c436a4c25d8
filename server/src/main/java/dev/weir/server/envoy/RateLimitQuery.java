package dev.weir.server.envoy;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request of Envoy's rate limit service, as {@code ShouldRateLimit} and {@code POST /json} receive it.
 *
 * @param domain the domain; never empty
 * @param descriptors the descriptors, in the request's order; never empty
 * @param hits the cost of each descriptor without its own; at least 1
 */
public record RateLimitQuery(String domain, List<Descriptor> descriptors, long hits) {
    public RateLimitQuery {
        descriptors = List.copyOf(descriptors);
    }

    /**
     * One descriptor.
     *
     * @param entries its entries, in the request's order
     * @param override a limit in place of the configured one
     * @param hits the cost of this descriptor: 0 reads without spending; null takes the request's
     */
    public record Descriptor(
            List<Entry> entries,
            @Nullable Override override,
            @Nullable Long hits) {
        public Descriptor {
            entries = List.copyOf(entries);
        }
    }

    /** One entry of a descriptor. */
    public record Entry(String key, String value) {}

    /** A limit that a descriptor brings itself. */
    @SuppressWarnings("JavaLangClash") // The word of Envoy's API.
    public record Override(long requestsPerUnit, Unit unit) {}

    /** Envoy's units of time, with its lengths: a month has 30 days and a year 365. */
    public enum Unit {
        SECOND(1),
        MINUTE(60),
        HOUR(3_600),
        DAY(86_400),
        WEEK(604_800),
        MONTH(2_592_000),
        YEAR(31_536_000);

        private final long seconds;

        Unit(long seconds) {
            this.seconds = seconds;
        }

        /** Returns the length in seconds. */
        public long seconds() {
            return seconds;
        }
    }
}
