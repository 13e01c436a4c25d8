package dev.weir.engine;

import dev.weir.CalendarWindow;
import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.Reading;
import dev.weir.engine.config.FailurePolicy;
import dev.weir.engine.plan.LimitCharges;
import dev.weir.engine.plan.MissingKey;
import dev.weir.engine.plan.PreparedLimit;
import dev.weir.engine.plan.PreparedRequest;
import dev.weir.engine.plan.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The results of single limits, from the store's decisions. They are computed on demand, since most callers only check
 * whether the request is allowed.
 */
final class LimitResults {
    private static final @Nullable Decision[] NO_SHADOWS = {};

    final PreparedRequest prepared;
    private final @Nullable Decision decision;
    private final @Nullable Decision[] shadows;

    /** Null in place of a decision means that these limits were not checked. */
    LimitResults(PreparedRequest prepared, @Nullable Decision decision, @Nullable Decision[] shadows) {
        this.prepared = prepared;
        this.decision = decision;
        this.shadows = shadows;
    }

    LimitResults(PreparedRequest prepared, @Nullable Decision decision) {
        this(prepared, decision, NO_SHADOWS);
    }

    /** The decision of all limits that can refuse; null if there were none. */
    @Nullable
    Decision decision() {
        return decision;
    }

    /** The decision of one shadow limit; null if the store did not answer it. */
    @Nullable
    Decision shadow(int place) {
        return shadows[place];
    }

    /** The indexes of the shadow limits whose charge waits for the status of the response. */
    List<Integer> shadowsAwaitingStatus() {
        if (shadows.length == 0 || !prepared.request().reportsStatus()) {
            return List.of();
        }
        return IntStream.range(0, shadows.length)
                .filter(place -> prepared.shadows().get(place).limit().rule.charge() != null)
                .boxed()
                .toList();
    }

    boolean admitted() {
        return decision == null || decision.admitted();
    }

    /** The results of all limits, outermost first, shadow limits last. */
    List<LimitResult> limits() {
        List<LimitResult> limits = new ArrayList<>(prepared.chargesByLimit().size() + shadows.length);
        if (decision != null) {
            for (LimitCharges limitCharges : prepared.chargesByLimit()) {
                limits.add(result(limitCharges, decision));
            }
        }
        for (int i = 0; i < shadows.length; i++) {
            Decision alone = shadows[i];
            if (alone != null) {
                limits.add(result(prepared.shadows().get(i), alone));
            }
        }
        for (MissingKey missing : prepared.missing()) {
            limits.add(missing.result());
        }
        return List.copyOf(limits);
    }

    /** The result of one limit that can refuse, by its place among them. */
    LimitResult enforced(int place) {
        return result(prepared.chargesByLimit().get(place), Objects.requireNonNull(decision));
    }

    /** The result of one shadow limit; null if the store did not answer it. */
    @Nullable
    LimitResult shadowed(int place) {
        Decision alone = shadows[place];
        return alone == null ? null : result(prepared.shadows().get(place), alone);
    }

    /** The results of the limits that fail secure, when the store does not answer. */
    static List<LimitResult> unavailable(PreparedRequest prepared, Duration wait) {
        return prepared.chargesByLimit().stream()
                .filter(limitCharges -> limitCharges.limit().rule.onStoreFailure() == FailurePolicy.DENY)
                .map(limitCharges -> unavailable(limitCharges, prepared, wait))
                .toList();
    }

    /** The results of all limits, when the store has no room for the request. */
    static List<LimitResult> full(PreparedRequest prepared, Duration wait) {
        return prepared.chargesByLimit().stream()
                .map(limitCharges -> unavailable(limitCharges, prepared, wait))
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
        for (int i = 0; i < prepared.chargesByLimit().size(); i++) {
            LimitCharges limitCharges = prepared.chargesByLimit().get(i);
            Integer mark = limitCharges.limit().rule.warnPercent();
            for (int rate = 0; mark != null && rate < limitCharges.rates(); rate++) {
                Charge charge = prepared.charges().get(limitCharges.first() + rate);
                Reading reading = decision.reading(limitCharges.first() + rate);
                if (reading instanceof Reading.Admitted && crosses(mark, charge, reading.remaining())) {
                    warnings = warnings.isEmpty() ? new ArrayList<>() : warnings;
                    warnings.add(new Warning(
                            limitCharges.limit().rule.name(),
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
    private LimitResult result(LimitCharges limitCharges, Decision together) {
        List<RateResult> rates = rates(limitCharges, together);
        LimitResult told = result(limitCharges, 0, together, rates);
        for (int rate = 1; rate < limitCharges.rates(); rate++) {
            LimitResult other = result(limitCharges, rate, together, rates);
            told = isWorse(other, told) ? other : told;
        }
        return told;
    }

    private static List<RateResult> rates(LimitCharges limitCharges, Decision together) {
        if (limitCharges.rates() == 1) {
            return List.of(rate(limitCharges, 0, together));
        }
        return IntStream.range(0, limitCharges.rates())
                .mapToObj(rate -> rate(limitCharges, rate, together))
                .toList();
    }

    private static RateResult rate(LimitCharges limitCharges, int rate, Decision together) {
        Reading reading = together.reading(limitCharges.first() + rate);
        return new RateResult(
                Row.rateName(limitCharges.limit().rule.name(), rate),
                limitCharges.row().policies().get(rate).capacity(),
                reading.remaining(),
                reading.resetAfter(),
                limitCharges.row().windows().get(rate));
    }

    private LimitResult result(LimitCharges limitCharges, int rate, Decision together, List<RateResult> rates) {
        Charge charge = together.charges().get(limitCharges.first() + rate);
        Reading reading = together.reading(limitCharges.first() + rate);
        Duration retryAfter = reading instanceof Reading.Refused refused ? refused.retryAfter() : Duration.ZERO;
        List<String> keyedBy = limitCharges.limit().keys.keyedBy(prepared.values());
        return new LimitResult(
                limitCharges.limit().rule.name(),
                limitCharges.limit().scope(keyedBy),
                keyedBy,
                limitCharges.row().name(),
                reading instanceof Reading.Admitted || reading instanceof Reading.Fits,
                charge.policy().capacity(),
                reading.remaining(),
                charge.cost(),
                reading instanceof Reading.Impossible ? null : retryAfter,
                reading.resetAfter(),
                limitCharges.row().windows().get(rate),
                limitCharges.limit().rule.shadow(),
                rates,
                charge.policy() instanceof CalendarWindow calendar ? calendar : null);
    }

    private static LimitResult unavailable(LimitCharges limitCharges, PreparedRequest prepared, Duration wait) {
        PreparedLimit limit = limitCharges.limit();
        List<String> keyedBy = limit.keys.keyedBy(prepared.values());
        return limit.refusal(limitCharges.row(), limit.scope(keyedBy), keyedBy, limitCharges.cost(), wait, wait);
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
