package dev.weir.engine.plan;

import dev.weir.Charge;
import dev.weir.Key;
import dev.weir.engine.LimitCounts;
import dev.weir.engine.LimitResult;
import dev.weir.engine.Request;
import dev.weir.engine.config.Algorithm;
import dev.weir.engine.config.CostRule;
import dev.weir.engine.config.LimitRule;
import dev.weir.engine.config.MissingPolicy;
import dev.weir.engine.config.Rate;
import dev.weir.spi.settings.SettingsSnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A compiled limit: whether it applies to a request, with which key, and at what cost. Immutable. */
public final class PreparedLimit {
    public final LimitRule rule;
    public final KeyBuilder keys;
    public final CostFunction price;
    final boolean isForLeases;
    public final LimitCounts counts;
    final SkippedLimitWatch skips;
    private final SeenKeys seen;
    private final Conditions conditions;
    private final RowTable rows;

    PreparedLimit(
            LimitRule rule,
            AttributeIndex index,
            SettingsSnapshot settings,
            AttributeValues known,
            LimitCounts counts,
            SkippedLimitWatch skips,
            SeenKeys seen) {
        this.rule = rule;
        this.keys = new KeyBuilder(rule.name(), rule.per(), index);
        this.price = new CostFunction(rule, index, known);
        this.isForLeases = rule.algorithm() == Algorithm.CONCURRENCY;
        this.counts = counts;
        this.skips = skips;
        this.seen = seen;
        this.conditions = new Conditions(rule.match(), index, known.paths());
        this.rows = new RowTable(rule, keys, index, settings, known);
    }

    private PreparedLimit(PreparedLimit other, RowTable rows) {
        this.rule = other.rule;
        this.keys = other.keys;
        this.price = other.price;
        this.isForLeases = other.isForLeases;
        this.counts = other.counts;
        this.skips = other.skips;
        this.seen = other.seen;
        this.conditions = other.conditions;
        this.rows = rows;
    }

    /** The same limit at another rate, with counts of its own. */
    PreparedLimit at(Rate rate) {
        return new PreparedLimit(this, RowTable.of(Row.override(rule, LimitRule.DEFAULT_ROW, rate)));
    }

    /** Whether its conditions hold. */
    boolean matches(@Nullable String[] values) {
        return conditions.hold(values);
    }

    /**
     * The charges of this limit for a request that it matches, which are added to {@code charges}; null if an attribute
     * is missing.
     */
    @Nullable
    LimitCharges limitCharges(@Nullable String[] values, Request request, List<Charge> charges) {
        long cost = price.of(values, request);
        return cost == CostFunction.NONE || !keys.fits(values) ? null : limitCharges(values, cost, charges);
    }

    /**
     * The charges of this limit for a request whose path has several interpretations, all of which it matches. Each
     * budget of an interpretation is charged once, with the strictest rate and the highest cost. Null if all
     * interpretations lack an attribute.
     */
    @Nullable
    LimitCharges limitCharges(List<@Nullable String[]> interpretations, Request request, List<Charge> charges) {
        Map<Key, RowEntry> entries = new LinkedHashMap<>();
        String name = LimitRule.DEFAULT_ROW;
        long cost = CostFunction.NONE;
        for (@Nullable String[] values : interpretations) {
            long own = price.of(values, request);
            if (own == CostFunction.NONE || !keys.fits(values)) {
                continue;
            }
            Row row = rows.row(values);
            name = cost == CostFunction.NONE ? row.name() : name;
            cost = Math.max(cost, own);
            for (int rate = 0; rate < row.policies().size(); rate++) {
                entries.merge(keys.key(values, row.suffixes().get(rate)), row.entry(rate), RowEntry::stricter);
            }
        }
        return cost == CostFunction.NONE ? null : limitCharges(name, entries, cost, charges);
    }

    private LimitCharges limitCharges(String row, Map<Key, RowEntry> entries, long cost, List<Charge> charges) {
        int first = charges.size();
        entries.forEach((key, entry) -> charges.add(new Charge(key, entry.policy(), cost)));
        return new LimitCharges(this, Row.of(row, entries.values()), cost, first);
    }

    /** The refusal of a request because an interpretation lacks the limit's key; null if the limit does not refuse it. */
    @Nullable
    MissingKey missingKey(List<@Nullable String[]> interpretations, Request request) {
        if (rule.onMissing() == MissingPolicy.DENY) {
            for (@Nullable String[] values : interpretations) {
                if (!keys.fits(values)) {
                    return missingKey(values, request);
                }
            }
        }
        return null;
    }

    private MissingKey missingKey(@Nullable String[] values, Request request) {
        long cost = Math.max(1, price.of(values, request));
        LimitResult result =
                refusal(rows.row(values), scope(keys.parts()), keys.keyedBy(values), cost, null, Duration.ZERO);
        return new MissingKey(keys.missing(values), result);
    }

    /** The result for a request that is refused without a result of the store. */
    public LimitResult refusal(
            Row row,
            String scope,
            List<String> keyedBy,
            long cost,
            @Nullable Duration retryAfter,
            Duration resetAfter) {
        return new LimitResult(
                rule.name(),
                scope,
                keyedBy,
                row.name(),
                false,
                row.policies().get(0).capacity(),
                0,
                cost,
                retryAfter,
                resetAfter,
                row.windows().get(0),
                rule.shadow(),
                row.refusals(rule.name(), resetAfter),
                null);
    }

    /** Records that the limit is skipped for a request that it matches. */
    void skip(@Nullable String[] values, Request request) {
        if (!skips.skipped()) {
            return;
        }
        List<String> missing = new ArrayList<>(keys.missing(values));
        if (rule.cost() instanceof CostRule.Attribute cost && price.of(values, request) == CostFunction.NONE) {
            missing.add(cost.name());
        }
        skips.note(missing, request);
    }

    /** Why this limit does not apply to a request, for people; null if it does. */
    @Nullable
    String whyNot(List<@Nullable String[]> interpretations, Request request) {
        if (isForLeases) {
            return "it counts slots, which leases take and checks do not";
        }
        String why = null;
        for (@Nullable String[] values : interpretations) {
            String unmet = conditions.unmet(values, rule.match());
            if (unmet == null) {
                unmet = whyUnpriced(values, request);
            }
            if (unmet == null) {
                return null;
            }
            why = why == null ? unmet : why;
        }
        return why;
    }

    private @Nullable String whyUnpriced(@Nullable String[] values, Request request) {
        if (!keys.fits(values)) {
            return rule.onMissing() == MissingPolicy.DENY
                    ? null
                    : "it is per " + String.join(", ", keys.parts()) + ", and the request lacks "
                            + String.join(", ", keys.missing(values));
        }
        return price.of(values, request) == CostFunction.NONE
                ? "the request has no cost for it"
                        + (rule.cost() instanceof CostRule.Attribute cost ? ": it lacks " + cost.name() : "")
                : null;
    }

    /**
     * Checks that a request which names this limit has all that the limit needs; its conditions need not hold.
     *
     * @throws IllegalArgumentException if the key or the cost is missing: a named limit must not be skipped
     */
    void checkNamed(@Nullable String[] values, Request request) {
        String name = "limit '" + rule.name() + "' ";
        if (isForLeases) {
            throw new IllegalArgumentException(name + "counts slots; it needs a lease");
        }
        if (price.of(values, request) == CostFunction.NONE) {
            throw new IllegalArgumentException(name + "has no cost of its own; the request must name one");
        }
        if (rule.onMissing() != MissingPolicy.DENY && !keys.fits(values)) {
            throw new IllegalArgumentException(
                    name + "is per " + String.join(", ", keys.parts()) + "; the request has no such attribute");
        }
    }

    /** The charges of this limit for a request with these values, if it can apply; else null. */
    @Nullable
    LimitCharges possibleCharges(@Nullable String[] values, List<Charge> charges) {
        return conditions.mayHold(values) && keys.fits(values) ? limitCharges(values, 1, charges) : null;
    }

    /** Whether no known attribute keeps it from applying. */
    boolean mayApply(@Nullable String[] values) {
        return conditions.mayHold(values);
    }

    /** The keys of all rates for values that fit. */
    List<Key> possibleKeys(@Nullable String[] values) {
        return rows.suffixes(values).stream()
                .map(suffix -> keys.key(values, suffix))
                .toList();
    }

    private LimitCharges limitCharges(@Nullable String[] values, long cost, List<Charge> charges) {
        Row row = rows.row(values);
        int first = charges.size();
        for (int rate = 0; rate < row.policies().size(); rate++) {
            charges.add(new Charge(
                    keys.key(values, row.suffixes().get(rate)), row.policies().get(rate), cost));
        }
        if (keys.isCompound()) {
            seen.note(charges.get(first).key());
        }
        return new LimitCharges(this, row, cost, first);
    }

    /** Whether there are overrides for subjects that one of these attributes identifies. */
    boolean hasOverridesBy(Set<Integer> attributes) {
        return rows.looksAt(attributes);
    }

    /** The scope of the limit, as clients see it. */
    public String scope(List<String> keyedBy) {
        String given = rule.scope();
        if (given != null) {
            return given;
        }
        return switch (keyedBy.size()) {
            case 0 -> "global";
            case 1 -> keyedBy.get(0);
            default -> String.join("+", keyedBy);
        };
    }
}
