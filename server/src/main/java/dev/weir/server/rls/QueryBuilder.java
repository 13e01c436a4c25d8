package dev.weir.server.rls;

import dev.weir.Policy;
import dev.weir.server.envoy.RateLimitQuery;
import dev.weir.server.http.ProblemException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Collects the fields of a request in the order in which a decoder finds them, and enforces the bounds of both
 * transports. A field out of bounds is a {@link ProblemException} that names it. Not thread-safe.
 */
final class QueryBuilder {
    static final int MAX_DESCRIPTORS = 256;
    static final int MAX_ENTRIES = 32;
    /** In characters, for the domain and each key and value: as long as an attribute of the engine. */
    static final int MAX_TEXT = 8192;

    private static final RateLimitQuery.@Nullable Unit[] UNITS = {
        null,
        RateLimitQuery.Unit.SECOND,
        RateLimitQuery.Unit.MINUTE,
        RateLimitQuery.Unit.HOUR,
        RateLimitQuery.Unit.DAY,
        RateLimitQuery.Unit.MONTH,
        RateLimitQuery.Unit.YEAR,
        RateLimitQuery.Unit.WEEK
    };

    private final List<RateLimitQuery.Descriptor> descriptors = new ArrayList<>(4);
    private String domain = "";
    private long hits = 1;

    /** Returns the unit with this number of Envoy's API; null for unknown ones. */
    static RateLimitQuery.@Nullable Unit unit(int number) {
        return number < 0 || number >= UNITS.length ? null : UNITS[number];
    }

    /** Returns the number of a unit in Envoy's API; 0, which means unknown, for null. */
    static int number(RateLimitQuery.@Nullable Unit unit) {
        return unit == null
                ? 0
                : switch (unit) {
                    case SECOND -> 1;
                    case MINUTE -> 2;
                    case HOUR -> 3;
                    case DAY -> 4;
                    case MONTH -> 5;
                    case YEAR -> 6;
                    case WEEK -> 7;
                };
    }

    void domain(String given) {
        if (given.length() > MAX_TEXT) {
            throw tooLong("domain", given);
        }
        domain = given;
    }

    /** Sets the cost of descriptors without their own; 0 means 1, as Envoy leaves the field out. */
    void hits(long given) {
        hits = Math.max(1, given);
    }

    /** Begins the next descriptor; it is added by {@link DescriptorBuilder#end}. */
    DescriptorBuilder descriptor() {
        if (descriptors.size() == MAX_DESCRIPTORS) {
            throw ProblemException.badField(
                    "descriptors", "there are more than " + MAX_DESCRIPTORS + " descriptors; send several requests");
        }
        return new DescriptorBuilder();
    }

    RateLimitQuery build() {
        if (domain.isEmpty()) {
            throw ProblemException.badField("domain", "rate limit domain must not be empty");
        }
        if (descriptors.isEmpty()) {
            throw ProblemException.badField("descriptors", "rate limit descriptor list must not be empty");
        }
        return new RateLimitQuery(domain, descriptors, hits);
    }

    /** One descriptor while it is decoded. */
    final class DescriptorBuilder {
        private final List<RateLimitQuery.Entry> entries = new ArrayList<>(4);
        private @Nullable Long ownHits;
        private boolean hasLimit;
        private long requestsPerUnit;
        private int unit;

        /** Returns the name of this descriptor in messages. */
        private String field() {
            return "descriptors[" + descriptors.size() + "]";
        }

        void entry(String key, String value) {
            if (entries.size() == MAX_ENTRIES) {
                throw ProblemException.badField(
                        field() + ".entries",
                        field() + " has more than " + MAX_ENTRIES + " entries; it may have that many");
            }
            if (key.length() > MAX_TEXT || value.length() > MAX_TEXT) {
                String entry = field() + ".entries[" + entries.size() + "]";
                throw key.length() > MAX_TEXT ? tooLong(entry + ".key", key) : tooLong(entry + ".value", value);
            }
            entries.add(new RateLimitQuery.Entry(key, value));
        }

        /** Sets a limit in place of the configured one; its fields keep their defaults until they are set. */
        void limit() {
            hasLimit = true;
        }

        void requestsPerUnit(long given) {
            requestsPerUnit = given;
        }

        void unit(int number) {
            unit = number;
        }

        /**
         * Sets the cost of this descriptor; 0 reads without spending.
         *
         * @param given an unsigned number: one beyond a long is negative
         */
        void hits(long given) {
            if (given < 0 || given > Policy.MAX_COUNT) {
                throw ProblemException.badField(
                        field() + ".hits_addend",
                        field() + ".hits_addend is " + Long.toUnsignedString(given) + "; it may be at most "
                                + Policy.MAX_COUNT);
            }
            ownHits = given;
        }

        void end() {
            descriptors.add(new RateLimitQuery.Descriptor(entries, hasLimit ? override() : null, ownHits));
        }

        private RateLimitQuery.Override override() {
            RateLimitQuery.Unit known = QueryBuilder.unit(unit);
            if (known == null) {
                throw ProblemException.badField(
                        field() + ".limit.unit",
                        field() + ".limit.unit is " + unit + "; it must be SECOND, MINUTE, HOUR, DAY, WEEK, MONTH or"
                                + " YEAR");
            }
            return new RateLimitQuery.Override(requestsPerUnit, known);
        }
    }

    private static ProblemException tooLong(String field, String text) {
        return ProblemException.badField(
                field, field + " has " + text.length() + " characters; it may have " + MAX_TEXT);
    }
}
