package dev.weir.ledger;

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
import java.util.List;
import java.util.function.Function;

/**
 * A policy as a list of fields, for stores that serialize it: its kind, then its fields in a fixed order.
 *
 * @param values of the {@linkplain Kind#types() types} of the kind
 */
public record PolicyFields(Kind kind, List<Object> values) {

    /**
     * The kinds of policies. Formats depend on the names and the order of kinds and fields, so a new kind is added
     * last.
     */
    public enum Kind {
        BUCKET(Long.class, Long.class, Duration.class, Long.class),
        FIXED(Long.class, Duration.class),
        CALENDAR(Long.class, String.class, String.class),
        SLIDING(Long.class, Duration.class),
        SLOTS(Long.class),
        STREAK(Duration.class),
        CLOSED();

        @SuppressWarnings("ImmutableEnumChecker") // The list is immutable.
        private final List<Class<?>> types;

        Kind(Class<?>... types) {
            this.types = List.of(types);
        }

        /** The types of the fields: {@code Long}, {@code Duration} or {@code String}. */
        public List<Class<?>> types() {
            return types;
        }
    }

    public static PolicyFields of(Policy policy) {
        if (policy instanceof TokenBucket bucket) {
            return of(Kind.BUCKET, bucket.capacity(), bucket.refill(), bucket.period(), bucket.initial());
        }
        if (policy instanceof FixedWindow window) {
            return of(Kind.FIXED, window.limit(), window.period());
        }
        if (policy instanceof CalendarWindow window) {
            return of(
                    Kind.CALENDAR,
                    window.limit(),
                    window.unit().name(),
                    window.zone().getId());
        }
        if (policy instanceof SlidingWindow window) {
            return of(Kind.SLIDING, window.limit(), window.period());
        }
        if (policy instanceof Concurrency concurrency) {
            return of(Kind.SLOTS, concurrency.slots());
        }
        return policy instanceof Streak streak ? of(Kind.STREAK, streak.quiet()) : of(Kind.CLOSED);
    }

    private static PolicyFields of(Kind kind, Object... values) {
        return new PolicyFields(kind, List.of(values));
    }

    /**
     * Reads a policy of a kind, one field after the other. The policy checks its own numbers.
     *
     * @param next reads a field of a type
     * @throws IllegalArgumentException if there is no such policy
     * @throws java.time.DateTimeException if there is no such time zone
     */
    public static Policy read(Kind kind, Function<Class<?>, Object> next) {
        return new PolicyFields(kind, kind.types().stream().map(next).toList()).policy();
    }

    private Policy policy() {
        return switch (kind) {
            case BUCKET -> new TokenBucket(number(0), number(1), period(2), number(3));
            case FIXED -> new FixedWindow(number(0), period(1));
            case CALENDAR -> new CalendarWindow(number(0), ChronoUnit.valueOf(word(1)), ZoneId.of(word(2)));
            case SLIDING -> new SlidingWindow(number(0), period(1));
            case SLOTS -> new Concurrency(number(0));
            case STREAK -> new Streak(period(0));
            case CLOSED -> Policy.closed();
        };
    }

    private long number(int index) {
        return (Long) values.get(index);
    }

    private Duration period(int index) {
        return (Duration) values.get(index);
    }

    private String word(int index) {
        return (String) values.get(index);
    }
}
