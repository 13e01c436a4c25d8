package dev.weir.store.scripted;

import dev.weir.CalendarWindow;
import dev.weir.Concurrency;
import dev.weir.FixedWindow;
import dev.weir.Policy;
import dev.weir.SlidingWindow;
import dev.weir.Streak;
import dev.weir.TokenBucket;
import dev.weir.algorithm.CalendarSpan;
import dev.weir.algorithm.PolicyModel;
import dev.weir.algorithm.Resolution;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The encoding of a policy for the script; {@code policy.lua} defines the format.
 *
 * <p>Two policies have the same code only if they are equal in everything that affects a result. Safe for use by
 * several threads.
 */
final class PolicyCode {
    private static final int SHORT_BUCKET = 0;
    private static final int BUCKET = 1;
    private static final int BUCKET_WITH_INITIAL = 2;
    private static final int COARSE_BUCKET = 3;
    /** A short bucket's numbers are below this, times a power of ten below 16. */
    private static final int SHORT_DIGITS = 1 << 14;

    private static final int CALENDAR = 7;
    /** By their number in the code; a new one goes to the end. */
    private static final ChronoUnit[] UNITS = {
        ChronoUnit.MINUTES, ChronoUnit.HOURS, ChronoUnit.DAYS, ChronoUnit.WEEKS, ChronoUnit.MONTHS, ChronoUnit.SECONDS
    };

    private final byte[] code;
    private final @Nullable CalendarWindow calendar;
    private final @Nullable PolicyModel plain;
    /** The code followed by the window of the last request, cached for the next one. Any thread may replace it. */
    private volatile @Nullable Dated dated;

    private volatile byte @Nullable [] fixed;

    /** The code followed by the time when the store first saw the policy, for policies with an initial fill. */
    private volatile byte @Nullable [] withFirstSeen;

    // Never compared.
    @SuppressWarnings("ArrayRecordComponent")
    private record Dated(CalendarSpan span, byte[] given) {}

    private PolicyCode(byte[] code, @Nullable CalendarWindow calendar, @Nullable PolicyModel plain) {
        this.code = code;
        this.calendar = calendar;
        this.plain = plain;
    }

    /**
     * Encodes a policy.
     *
     * @throws IllegalArgumentException if doubles cannot represent its numbers exactly
     */
    static PolicyCode of(Policy policy) {
        PolicyModel exact = PolicyModel.inDoubles(policy);
        byte[] code = encode(exact);
        boolean isPlain = policy instanceof TokenBucket && code[0] >> 4 <= BUCKET;
        return new PolicyCode(code, policy instanceof CalendarWindow window ? window : null, isPlain ? exact : null);
    }

    /** The calendar window for which the script requested data; null if the code is of another policy. */
    static @Nullable PolicyCode ofCalendar(byte[] code) {
        if (code[0] >> 4 != CALENDAR) {
            return null;
        }
        int limitWidth = code[0] & 0xF;
        ChronoUnit unit = UNITS[code[1 + limitWidth]];
        String zone =
                new String(code, 3 + limitWidth, Byte.toUnsignedInt(code[2 + limitWidth]), StandardCharsets.UTF_8);
        long limit = Bytes.read(code, 1, limitWidth);
        return new PolicyCode(code, new CalendarWindow(limit, unit, ZoneId.of(zone)), null);
    }

    /** A policy for which the script requested only the time when the store first saw it. */
    static PolicyCode ofUnseen(byte[] code) {
        return new PolicyCode(code, null, null);
    }

    byte[] code() {
        return code;
    }

    /** Always sends the window at this time from now on, given in milliseconds since 1970. */
    void fix(long wallMillis) {
        byte[] given = given(wallMillis);
        fixed = given;
    }

    /** Stores the time when the store first saw a policy, in microseconds, if it is this one. */
    void learn(PolicyCode other, long micros) {
        if (Arrays.equals(code, other.code)) {
            setFirstSeen(micros);
        }
    }

    /** The model of a bucket that begins full, whose equal charges can form one run; null for other policies. */
    @Nullable
    PolicyModel plain() {
        return plain;
    }

    /** Stores the time when the store first saw the policy, in microseconds since 1970. */
    void setFirstSeen(long micros) {
        withFirstSeen = Bytes.join(code, Bytes.number(micros, 7));
    }

    /** The code, followed by the additional data that the script needs at this wall-clock time. */
    byte[] given(long wallMillis) {
        if (calendar == null) {
            byte[] known = withFirstSeen;
            return known == null ? code : known;
        }
        byte[] told = fixed;
        if (told != null) {
            return told;
        }
        Dated present = dated;
        if (present == null || !present.span.contains(wallMillis)) {
            CalendarSpan span = CalendarSpan.of(calendar, wallMillis);
            long beyond = CalendarSpan.of(calendar, span.end()).end();
            present = new Dated(
                    span,
                    Bytes.join(
                            code, Bytes.number(span.start(), 6), Bytes.number(span.end(), 6), Bytes.number(beyond, 6)));
            dated = present;
        }
        return present.given;
    }

    private static byte[] encode(PolicyModel exact) {
        Policy policy = exact.policy();
        if (policy instanceof TokenBucket bucket) {
            return encode(bucket, exact.resolution(), Objects.requireNonNull(exact.bucketUnits()));
        }
        if (policy instanceof FixedWindow window) {
            return window(4, window.limit(), window.period());
        }
        if (policy instanceof SlidingWindow window) {
            return window(5, window.limit(), window.period());
        }
        if (policy instanceof Streak streak) {
            byte[] quiet = Bytes.shortest(micros(streak.quiet()));
            return Bytes.join(head(6, quiet.length), quiet);
        }
        if (policy instanceof CalendarWindow window) {
            return encode(window);
        }
        if (policy instanceof Concurrency concurrency) {
            byte[] slots = Bytes.shortest(concurrency.slots());
            return Bytes.join(head(8, slots.length), slots);
        }
        return head(9, 0);
    }

    private static byte[] encode(TokenBucket bucket, Resolution resolution, PolicyModel.BucketUnits units) {
        boolean isCoarse = resolution != Resolution.MICROS;
        boolean isFull = bucket.initial() == bucket.capacity() && !isCoarse;
        if (isFull && units.perTick() == 1) {
            byte[] code = shortBucket(bucket.capacity(), units.perToken());
            if (code != null) {
                return code;
            }
        }
        byte[] capacity = Bytes.shortest(bucket.capacity());
        byte[] perTick = units.perTick() == 1 ? new byte[0] : Bytes.shortest(units.perTick());
        byte[] perToken = Bytes.shortest(units.perToken());
        byte[] numbers = Bytes.join(
                head(isFull ? BUCKET : isCoarse ? COARSE_BUCKET : BUCKET_WITH_INITIAL, capacity.length),
                Bytes.number((perTick.length << 4) | perToken.length, 1),
                capacity,
                perTick,
                perToken);
        if (isFull) {
            return numbers;
        }
        byte[] initial = Bytes.shortest(bucket.initial());
        byte[] zeros = isCoarse ? Bytes.number(resolution == Resolution.MILLIS ? 3 : 6, 1) : new byte[0];
        return Bytes.join(numbers, Bytes.number(initial.length, 1), initial, zeros);
    }

    /** The short code of a bucket with round numbers; null if they are not round. */
    private static byte @Nullable [] shortBucket(long capacity, long token) {
        int capacityZeros = zerosOf(capacity);
        int tokenZeros = zerosOf(token);
        if (capacityZeros < 0 || tokenZeros < 0) {
            return null;
        }
        long numbers = ((long) tokenZeros << 28) | (digits(capacity, capacityZeros) << 14) | digits(token, tokenZeros);
        return Bytes.join(head(SHORT_BUCKET, capacityZeros), Bytes.number(numbers, 4));
    }

    /** How many trailing zeros must be removed until a number fits in 14 bits; negative if it never does. */
    private static int zerosOf(long number) {
        int zeros = 0;
        for (long rest = number; rest >= SHORT_DIGITS; rest /= 10) {
            if (rest % 10 != 0) {
                return -1;
            }
            zeros++;
        }
        return zeros;
    }

    private static long digits(long number, int zeros) {
        long rest = number;
        for (int i = 0; i < zeros; i++) {
            rest /= 10;
        }
        return rest;
    }

    private static byte[] encode(CalendarWindow window) {
        byte[] limit = Bytes.shortest(window.limit());
        byte[] zone = window.zone().getId().getBytes(StandardCharsets.UTF_8);
        if (zone.length > 255) {
            throw new IllegalArgumentException(
                    "the time zone's name has " + zone.length + " bytes; at most 255 are kept");
        }
        return Bytes.join(
                head(CALENDAR, limit.length),
                limit,
                Bytes.number(Arrays.asList(UNITS).indexOf(window.unit()), 1),
                Bytes.number(zone.length, 1),
                zone);
    }

    private static byte[] window(int kind, long limit, Duration period) {
        byte[] count = Bytes.shortest(limit);
        byte[] time = Bytes.shortest(micros(period));
        return Bytes.join(head(kind, count.length), Bytes.number(time.length, 1), count, time);
    }

    private static byte[] head(int kind, int width) {
        return Bytes.number(((long) kind << 4) | width, 1);
    }

    private static long micros(Duration duration) {
        return duration.toNanos() / 1_000;
    }
}
