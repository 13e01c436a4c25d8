package dev.weir.engine.report;

import dev.weir.CalendarWindow;
import dev.weir.Charge;
import dev.weir.FixedWindow;
import dev.weir.Policy;
import dev.weir.SlidingWindow;
import dev.weir.TokenBucket;
import dev.weir.engine.plan.LimitCharges;
import dev.weir.engine.plan.PreparedRequest;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How much the keys of each limit use, from all requests that it applied to: allowed and refused ones, shadow limits
 * included. The engine adds each request. Thread-safe.
 *
 * <p>At most {@value #MOST_RATES} rates are observed, with at most 1,000 keys in each of two generations. One key takes
 * about 130 bytes, the histogram of a generation 32 kB; all of it at most 17 MB.
 */
public final class SampledUse {
    static final int MOST_RATES = 50;
    private static final long STALE_CHECK_NANOS = Duration.ofMinutes(1).toNanos();
    private static final SampledRate[] NONE = {};

    private final LongSupplier nanos;
    /** The rates of each limit. An array is replaced when a rate is added. */
    private final Map<String, SampledRate[]> limits = new ConcurrentHashMap<>();

    private final AtomicInteger count = new AtomicInteger();
    private final AtomicLong staleCheckedAt;

    /** @param nanos a clock like {@link System#nanoTime} */
    public SampledUse(LongSupplier nanos) {
        this.nanos = nanos;
        this.staleCheckedAt = new AtomicLong(nanos.getAsLong());
    }

    /** Adds the charges of a request. */
    public void add(PreparedRequest prepared) {
        long now = nanos.getAsLong();
        List<LimitCharges> enforced = prepared.chargesByLimit();
        for (int i = 0; i < enforced.size(); i++) {
            add(enforced.get(i), prepared.charges(), now);
        }
        List<LimitCharges> shadows = prepared.shadows();
        for (int i = 0; i < shadows.size(); i++) {
            add(shadows.get(i), prepared.shadowCharges().get(i), now);
        }
    }

    private void add(LimitCharges limit, List<Charge> charges, long now) {
        String name = limit.limit().rule.name();
        for (int place = 0; place < limit.rates(); place++) {
            Charge charge = charges.get(limit.first() + place);
            SampledRate rate = rate(name, limit.row().name(), place, charge.policy(), now);
            if (rate != null) {
                rate.add(charge.key(), charge.cost(), now);
            }
        }
    }

    private @Nullable SampledRate rate(String limit, String row, int place, Policy policy, long now) {
        SampledRate[] present = limits.getOrDefault(limit, NONE);
        for (SampledRate rate : present) {
            if (rate.policy == policy) {
                return rate;
            }
        }
        Duration period = period(policy);
        if (period == null) {
            return null;
        }
        SampledRate found = find(present, row, place, period);
        if (found == null) {
            removeStaleIfFull(now);
            found = find(create(limit, row, place, period, policy, now), row, place, period);
        }
        if (found != null) {
            found.policy = policy;
        }
        return found;
    }

    /** Adds a rate at its first request; returns all rates of the limit. */
    private SampledRate[] create(String limit, String row, int place, Duration period, Policy policy, long now) {
        return limits.compute(limit, (name, present) -> {
            SampledRate[] known = Objects.requireNonNullElse(present, NONE);
            if (find(known, row, place, period) != null || count.get() >= MOST_RATES) {
                return known;
            }
            count.incrementAndGet();
            SampledRate[] more = Arrays.copyOf(known, known.length + 1);
            more[known.length] = new SampledRate(row, place, period, policy, now);
            return more;
        });
    }

    /** Limits that were removed or renamed would keep their places for ever. */
    private void removeStaleIfFull(long now) {
        long checkedAt = staleCheckedAt.get();
        if (count.get() >= MOST_RATES
                && now - checkedAt >= STALE_CHECK_NANOS
                && staleCheckedAt.compareAndSet(checkedAt, now)) {
            limits.replaceAll((limit, present) -> {
                SampledRate[] kept = Arrays.stream(present)
                        .filter(rate -> !rate.isStale(now))
                        .toArray(SampledRate[]::new);
                count.addAndGet(kept.length - present.length);
                return kept;
            });
        }
    }

    private static @Nullable SampledRate find(SampledRate[] rates, String row, int place, Duration period) {
        for (SampledRate rate : rates) {
            if (rate.place == place && rate.row.equals(row) && rate.period.equals(period)) {
                return rate;
            }
        }
        return null;
    }

    /** Returns the period of a policy; null for slots, and for a policy that refuses everything. */
    private static @Nullable Duration period(Policy policy) {
        if (policy instanceof TokenBucket bucket) {
            return bucket.period();
        }
        if (policy instanceof FixedWindow window) {
            return window.period();
        }
        if (policy instanceof SlidingWindow window) {
            return window.period();
        }
        return policy instanceof CalendarWindow window ? window.unit().getDuration() : null;
    }

    /** Returns what is known of each rate of a limit; an empty list if no request met it. */
    public List<UseReport> of(String limit) {
        long now = nanos.getAsLong();
        return Arrays.stream(limits.getOrDefault(limit, NONE))
                .map(rate -> rate.report(now))
                .toList();
    }
}
