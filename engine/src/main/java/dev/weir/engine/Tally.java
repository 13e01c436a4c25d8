package dev.weir.engine;

import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.Reading;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the store's readings say, limit by limit, on the way to an outcome. Used by one thread, for one request. */
final class Tally {
    private final List<LimitResult> results = new ArrayList<>();
    private final List<Warning> warnings = new ArrayList<>();
    private boolean admitted = true;
    private @Nullable LimitResult obstacle;
    private @Nullable LimitResult tightest;

    /** Of no limits. */
    Tally() {}

    /** Of limits that were decided together. */
    Tally(List<Demand> demands, Decision decision) {
        int next = 0;
        for (Demand demand : demands) {
            add(demand, decision, next);
            next += demand.charges().size();
        }
    }

    /** A limit that was decided by itself. */
    void add(Demand demand, Decision decision) {
        add(demand, decision, 0);
    }

    boolean isAdmitted() {
        return admitted;
    }

    Outcome outcome(Map<String, String> derived, @Nullable Penalties penalties, long violations) {
        if (admitted) {
            return new Outcome(true, Reason.ALLOWED, tightest, results, warnings, null, 0, derived);
        }
        Duration wait = longestWait();
        if (wait != null && penalties != null) {
            wait = penalties.wait(violations, wait);
        }
        Reason reason = wait == null ? Reason.IMPOSSIBLE : Reason.LIMITED;
        return new Outcome(false, reason, obstacle, results, List.of(), wait, violations, derived);
    }

    /** A limit of several rates is told by the one that stands in the way, else by the tightest. */
    private void add(Demand demand, Decision decision, int first) {
        LimitResult told = null;
        for (int i = 0; i < demand.charges().size(); i++) {
            LimitResult result = result(demand, i, decision.reading(first + i));
            warn(demand, decision.reading(first + i), result);
            boolean tells = told == null || (told.allowed() && (!result.allowed() || isTighter(result, told)));
            told = tells ? result : told;
        }
        if (told == null) {
            return;
        }
        results.add(told);
        if (told.shadow()) {
            return;
        }
        if (!told.allowed()) {
            admitted = false;
            obstacle = obstacle == null ? told : obstacle;
        }
        tightest = tightest == null || isTighter(told, tightest) ? told : tightest;
    }

    private static boolean isTighter(LimitResult one, LimitResult other) {
        return one.requestsLeft() < other.requestsLeft();
    }

    private static LimitResult result(Demand demand, int rate, Reading reading) {
        Charge charge = demand.charges().get(rate);
        Duration retryAfter = Duration.ZERO;
        if (reading instanceof Reading.Refused refused) {
            retryAfter = refused.retryAfter();
        }
        boolean allowed = reading instanceof Reading.Admitted || reading instanceof Reading.Fits;
        return new LimitResult(
                demand.limit().rule.name(),
                demand.scope(),
                demand.keyedBy(),
                allowed,
                charge.policy().capacity(),
                reading.remaining(),
                charge.cost(),
                reading instanceof Reading.Impossible ? null : retryAfter,
                reading.resetAfter(),
                demand.row().windows().get(rate),
                demand.limit().rule.shadow());
    }

    /** Warns when this charge took the limit over its mark: once, not with every charge above it. */
    private void warn(Demand demand, Reading reading, LimitResult result) {
        Integer mark = demand.limit().rule.warnPercent();
        if (mark == null || !(reading instanceof Reading.Admitted) || result.shadow()) {
            return;
        }
        long used = result.capacity() - result.remaining();
        boolean isOver = share(used, mark, result.capacity());
        boolean wasOver = share(used - result.cost(), mark, result.capacity());
        if (isOver && !wasOver) {
            warnings.add(new Warning(result.name(), result.remaining(), result.capacity()));
        }
    }

    private static boolean share(long used, int percent, long capacity) {
        // used / capacity ≥ percent / 100, without a fraction: counts are at most 10^15, so nothing overflows.
        return used * 100 >= capacity * percent;
    }

    /** How long until every limit admits; null if one never will. */
    private @Nullable Duration longestWait() {
        Duration longest = Duration.ZERO;
        for (LimitResult result : results) {
            if (result.shadow()) {
                continue;
            }
            Duration wait = result.retryAfter();
            if (wait == null) {
                return null;
            }
            longest = wait.compareTo(longest) > 0 ? wait : longest;
        }
        return longest;
    }
}
