package dev.weir.server.dashboard;

import dev.weir.engine.PenaltyState;
import dev.weir.engine.event.Event;
import dev.weir.engine.http.HttpDecision;
import dev.weir.engine.json.Json;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A subject of the {@link SeenSubjects}; guarded by its lock. */
final class SeenSubject {
    /** Length of values that events have truncated: one more than the longest that they carry. */
    private static final int CUT_LENGTH = 257;

    private static final int MOST_WAYS = 8;
    private static final int VIOLATION_SLOTS = 12;
    private static final int VIOLATION_SLOT_SECONDS = 300;

    final int id;
    final String attribute;
    final String value;
    /**
     * Whether the dashboard lists it: once it has spent or was refused. An address that only accompanies a user is not
     * listed.
     */
    boolean shown;

    private @Nullable RollingCounts violations;
    private long allViolations;
    long seenAt;
    long deniedAt;
    /**
     * How often it was refused, also by limits of other subjects; {@link #refusedAt} is the time of the last refusal.
     */
    long refusals;

    long refusedAt;
    /** Its latest decisions; null before the first. */
    private RecentDecisions.@Nullable OfSubject decisions;
    /** Its allowed requests of the last hour, as far as they were observed; null before the first. */
    private @Nullable RollingCounts allowed;
    /** Null if it was never refused. */
    private @Nullable DeniedCounts deniedBy;
    /** The combinations of attributes that its budgets depend on, as seen in requests; the latest last. */
    private final Map<Map<String, String>, Boolean> ways = new LinkedHashMap<>(4, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Map<String, String>, Boolean> eldest) {
            return size() > MOST_WAYS;
        }
    };

    List<Budget> budgets = List.of();
    long consecutive;
    long throttledUntil;
    boolean exempt;
    boolean overridden;
    /** The tick at which it last changed; {@link #namedTick} is that of its names and flags, which rarely change. */
    long changedTick;

    long namedTick;
    long refreshedTick = -1;
    /** Whether its budgets are to be queried: it was seen since the last query, or the settings have changed. */
    boolean active;

    /** Whether it was seen since it was last sent to the dashboards. */
    private boolean isNew;

    SeenSubject(int id, String attribute, String value) {
        this.id = id;
        this.attribute = attribute;
        this.value = value;
    }

    /**
     * The state of one of its budgets.
     *
     * @param key the attributes that distinguish it from other budgets of the limit: {@code channel=http}, {@code
     *     tier=heavy}
     */
    record Budget(String limit, Map<String, String> key, long capacity, long remaining, long resetAt, boolean shadow) {
        boolean isFull() {
            return remaining >= capacity;
        }

        boolean hasNameOf(Budget other) {
            return limit.equals(other.limit)
                    && key.equals(other.key)
                    && capacity == other.capacity
                    && shadow == other.shadow;
        }
    }

    /** Returns whether the value is truncated, so that nothing can be looked up by it. */
    boolean isCut() {
        return value.length() == CUT_LENGTH && value.endsWith("…");
    }

    void recordSeen(Map<String, String> way, long second) {
        ways.put(way, true);
        seenAt = Math.max(seenAt, second);
        active = true;
        isNew = true;
    }

    void violated(long second) {
        if (violations == null) {
            violations = new RollingCounts(VIOLATION_SLOTS, VIOLATION_SLOT_SECONDS, 1);
        }
        violations.add(second, 0, 1);
        allViolations++;
        deniedAt = second;
        shown = true;
    }

    void refused(@Nullable String limit, String reason, long second) {
        if (deniedBy == null) {
            deniedBy = new DeniedCounts();
        }
        deniedBy.add(limit, reason, second);
        refusals++;
        refusedAt = second;
    }

    /** Adds a decision about it. */
    void decided(DecisionJson decision, RecentDecisions all, long second) {
        if (decisions == null) {
            decisions = new RecentDecisions.OfSubject();
        }
        all.add(decisions, decision);
        if (decision.event() instanceof Event.Allowed) {
            if (allowed == null) {
                allowed = new RollingCounts(DeniedCounts.SLOTS, DeniedCounts.SLOT_SECONDS, 1);
            }
            allowed.add(second, 0, 1);
        }
    }

    /** Writes its allowed and refused requests over time, and its latest decisions, as members of the open object. */
    void writeHistory(Json json, long second) {
        RollingCounts counts =
                allowed == null ? new RollingCounts(DeniedCounts.SLOTS, DeniedCounts.SLOT_SECONDS, 1) : allowed;
        counts.writeAt(json, second, "allowed");
        json.name("denied").open('[');
        if (deniedBy != null) {
            deniedBy.writeOverTime(json, second);
        }
        json.close(']').name("decisions").open('[');
        if (decisions != null) {
            for (DecisionJson decision : decisions.newestFirst()) {
                json.open('{');
                decision.write(json);
                json.close('}');
            }
        }
        json.close(']');
    }

    /** Writes its refusals by limit and reason, as a member of the open object. */
    void writeDeniedBy(Json json) {
        if (deniedBy == null) {
            DeniedCounts.write(json, List.of());
        } else {
            deniedBy.write(json);
        }
    }

    /** Keeps only the number of refusals. */
    void keepOnlyCounts() {
        shown = false;
        active = false;
        ways.clear();
        budgets = List.of();
        decisions = null;
        allowed = null;
        consecutive = 0;
    }

    long violationsLastHour(long second) {
        return violations == null ? 0 : violations.sum(second, 0);
    }

    List<Map<String, String>> ways() {
        return new ArrayList<>(ways.keySet());
    }

    boolean isFull() {
        return budgets.stream().allMatch(Budget::isFull);
    }

    /** Sets the state read from the store, and the tick if the state has changed. */
    void take(List<Budget> found, PenaltyState penaltyState, long second, long tick) {
        // A subject without budgets has a name, too.
        boolean isNamed = found.size() != budgets.size() || refreshedTick < 0;
        boolean isNews = isNamed || penaltyState.consecutiveViolations() != consecutive || active;
        for (int i = 0; i < found.size() && !isNamed; i++) {
            isNamed = !found.get(i).hasNameOf(budgets.get(i));
            isNews |= found.get(i).remaining() != budgets.get(i).remaining();
        }
        if (isNews || isNamed) {
            budgets = found;
            changedTick = tick;
        }
        if (isNamed) {
            namedTick = tick;
        }
        shown |= !isFull();
        consecutive = penaltyState.consecutiveViolations();
        throttledUntil = penaltyState.throttled() ? second + seconds(penaltyState.clearsAfter()) : 0;
        refreshedTick = tick;
        active = false;
        isNew = false;
    }

    /** Has it sent although the store does not answer: that it was seen and refused is known. */
    void takeWithoutStore(long tick) {
        if (isNew) {
            changedTick = tick;
            namedTick = refreshedTick < 0 ? tick : namedTick;
            isNew = false;
        }
    }

    void mark(boolean isExempt, boolean isOverridden, long tick) {
        if (isExempt != exempt || isOverridden != overridden) {
            exempt = isExempt;
            overridden = isOverridden;
            changedTick = tick;
            namedTick = tick;
        }
    }

    /** Writes it as JSON; without its names for clients that have them already. */
    void write(Json json, boolean named, long second) {
        json.open('{').field("id", id);
        if (named) {
            json.field("attribute", attribute)
                    .field("value", value)
                    .field("cut", isCut())
                    .field("exempt", exempt)
                    .field("overridden", overridden);
        }
        json.field("violations", violationsLastHour(second))
                .field("all", allViolations)
                .field("consecutive", consecutive)
                .field("until", throttledUntil)
                .field("seen", seenAt)
                .field("denied", deniedAt);
        if (deniedBy != null) {
            deniedBy.writeLastHour(json, second);
        }
        if (named) {
            json.name("budgets").open('[');
            for (Budget budget : budgets) {
                json.open('{')
                        .field("limit", budget.limit)
                        .field("key", budget.key)
                        .field("capacity", budget.capacity)
                        .field("shadow", budget.shadow)
                        .close('}');
            }
            json.close(']');
        }
        json.name("left").open('[');
        for (Budget budget : budgets) {
            json.value(budget.remaining).value(budget.resetAt);
        }
        json.close(']').close('}');
    }

    private static long seconds(Duration duration) {
        return HttpDecision.wholeSeconds(duration);
    }
}
