package dev.weir.engine;

import dev.weir.CalendarWindow;
import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.Reading;
import dev.weir.engine.config.FailurePolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The results of single limits, from the store's decisions. They are computed on demand, since most callers only check
 * whether the request is allowed.
 */
final class Findings {
    private static final @Nullable Decision[] NO_SHADOWS = {};

    final Inquiry inquiry;
    private final @Nullable Decision decision;
    private final @Nullable Decision[] shadows;

    /** Null in place of a decision means that these limits were not checked. */
    Findings(Inquiry inquiry, @Nullable Decision decision, @Nullable Decision[] shadows) {
        this.inquiry = inquiry;
        this.decision = decision;
        this.shadows = shadows;
    }

    Findings(Inquiry inquiry, @Nullable Decision decision) {
        this(inquiry, decision, NO_SHADOWS);
    }

    /** The decision of all limits that can refuse; null if there were none. */
    @Nullable
    Decision together() {
        return decision;
    }

    /** The decision of one shadow limit; null if the store did not answer it. */
    @Nullable
    Decision shadow(int place) {
        return shadows[place];
    }

    /** The indexes of the shadow limits whose charge waits for the status of the response. */
    List<Integer> shadowsAwaitingStatus() {
        if (shadows.length == 0 || !inquiry.request.reportsStatus()) {
            return List.of();
        }
        return IntStream.range(0, shadows.length)
                .filter(place -> inquiry.shadows.get(place).limit().rule.charge() != null)
                .boxed()
                .toList();
    }

    boolean admitted() {
        return decision == null || decision.admitted();
    }

    /** The results of all limits, outermost first, shadow limits last. */
    List<LimitResult> limits() {
        List<LimitResult> limits = new ArrayList<>(inquiry.demands.size() + shadows.length);
        if (decision != null) {
            for (Demand demand : inquiry.demands) {
                limits.add(result(demand, decision));
            }
        }
        for (int i = 0; i < shadows.length; i++) {
            Decision alone = shadows[i];
            if (alone != null) {
                limits.add(result(inquiry.shadows.get(i), alone));
            }
        }
        for (MissingKey missing : inquiry.missing) {
            limits.add(missing.result());
        }
        return List.copyOf(limits);
    }

    /** The results of the limits that fail secure, when the store does not answer. */
    static List<LimitResult> unavailable(Inquiry inquiry, Duration wait) {
        return inquiry.demands.stream()
                .filter(demand -> demand.limit().rule.onStoreFailure() == FailurePolicy.DENY)
                .map(demand -> unavailable(demand, inquiry, wait))
                .toList();
    }

    /** The results of all limits, when the store has no room for the request. */
    static List<LimitResult> full(Inquiry inquiry, Duration wait) {
        return inquiry.demands.stream()
                .map(demand -> unavailable(demand, inquiry, wait))
                .toList();
    }

    /**
     * The limits that this request took beyond their mark: reported for the crossing only, not for each later request.
     */
    List<Warning> warnings() {
        if (decision == null || !decision.admitted()) {
            return List.of();
        }
        List<Warning> warnings = List.of();
        for (int i = 0; i < inquiry.demands.size(); i++) {
            Demand demand = inquiry.demands.get(i);
            Integer mark = demand.limit().rule.warnPercent();
            for (int rate = 0; mark != null && rate < demand.rates(); rate++) {
                Charge charge = inquiry.charges.get(demand.first() + rate);
                Reading reading = decision.reading(demand.first() + rate);
                if (reading instanceof Reading.Admitted && crosses(mark, charge, reading.remaining())) {
                    warnings = warnings.isEmpty() ? new ArrayList<>() : warnings;
                    warnings.add(new Warning(
                            demand.limit().rule.name(),
                            reading.remaining(),
                            charge.policy().capacity()));
                }
            }
        }
        return warnings;
    }

    /** How long until every limit admits; null if one never will. */
    static @Nullable Duration longestWait(List<LimitResult> limits) {
        Duration longest = Duration.ZERO;
        for (LimitResult result : limits) {
            Duration wait = result.retryAfter();
            if (!result.shadow()) {
                if (wait == null) {
                    return null;
                }
                longest = wait.compareTo(longest) > 0 ? wait : longest;
            }
        }
        return longest;
    }

    /** The outermost limit that refused, else the tightest; null if there is none. */
    static @Nullable LimitResult decisive(List<LimitResult> limits) {
        LimitResult tightest = null;
        for (LimitResult result : limits) {
            if (result.shadow()) {
                continue;
            }
            if (!result.allowed()) {
                return result;
            }
            tightest = tightest == null || isTighter(result, tightest) ? result : tightest;
        }
        return tightest;
    }

    /** A multi-rate limit reports the rate that refused, else the tightest. */
    private LimitResult result(Demand demand, Decision together) {
        List<RateResult> rates = rates(demand, together);
        LimitResult told = result(demand, 0, together, rates);
        for (int rate = 1; rate < demand.rates(); rate++) {
            LimitResult other = result(demand, rate, together, rates);
            told = isWorse(other, told) ? other : told;
        }
        return told;
    }

    private static List<RateResult> rates(Demand demand, Decision together) {
        if (demand.rates() == 1) {
            return List.of(rate(demand, 0, together));
        }
        return IntStream.range(0, demand.rates())
                .mapToObj(rate -> rate(demand, rate, together))
                .toList();
    }

    private static RateResult rate(Demand demand, int rate, Decision together) {
        Reading reading = together.reading(demand.first() + rate);
        return new RateResult(
                Row.rateName(demand.limit().rule.name(), rate),
                demand.row().policies().get(rate).capacity(),
                reading.remaining(),
                reading.resetAfter(),
                demand.row().windows().get(rate));
    }

    private LimitResult result(Demand demand, int rate, Decision together, List<RateResult> rates) {
        Charge charge = together.charges().get(demand.first() + rate);
        Reading reading = together.reading(demand.first() + rate);
        Duration retryAfter = reading instanceof Reading.Refused refused ? refused.retryAfter() : Duration.ZERO;
        List<String> keyedBy = demand.limit().keys.keyedBy(inquiry.values);
        return new LimitResult(
                demand.limit().rule.name(),
                demand.limit().scope(keyedBy),
                keyedBy,
                demand.row().name(),
                reading instanceof Reading.Admitted || reading instanceof Reading.Fits,
                charge.policy().capacity(),
                reading.remaining(),
                charge.cost(),
                reading instanceof Reading.Impossible ? null : retryAfter,
                reading.resetAfter(),
                demand.row().windows().get(rate),
                demand.limit().rule.shadow(),
                rates,
                charge.policy() instanceof CalendarWindow calendar ? calendar : null);
    }

    private static LimitResult unavailable(Demand demand, Inquiry inquiry, Duration wait) {
        PreparedLimit limit = demand.limit();
        List<String> keyedBy = limit.keys.keyedBy(inquiry.values);
        return limit.refusal(demand.row(), limit.scope(keyedBy), keyedBy, demand.cost(), wait, wait);
    }

    private static boolean isWorse(LimitResult one, LimitResult other) {
        if (one.allowed() != other.allowed()) {
            return !one.allowed();
        }
        return one.allowed() ? isTighter(one, other) : waitsLonger(one.retryAfter(), other.retryAfter());
    }

    private static boolean waitsLonger(@Nullable Duration one, @Nullable Duration other) {
        return other != null && (one == null || one.compareTo(other) > 0);
    }

    private static boolean isTighter(LimitResult one, LimitResult other) {
        return one.requestsLeft() < other.requestsLeft();
    }

    /** Computes used / capacity ≥ percent / 100 in integers: counts are at most 10^15, so nothing overflows. */
    private static boolean crosses(int percent, Charge charge, long remaining) {
        long capacity = charge.policy().capacity();
        long used = capacity - remaining;
        long mark = capacity * percent;
        return used * 100 >= mark && (used - charge.cost()) * 100 < mark;
    }
}
