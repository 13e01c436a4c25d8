package dev.weir.engine;

import dev.weir.Charge;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.engine.config.Algorithm;
import dev.weir.engine.config.CostRule;
import dev.weir.engine.config.LimitRule;
import dev.weir.engine.config.Rate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A limit made ready: whether it applies to a request, to whom, and at what price. Immutable. */
final class PreparedLimit {
    private static final long DOES_NOT_APPLY = 0;

    final LimitRule rule;
    final boolean isForLeases;
    private final Conditions conditions;
    private final int[][] keyParts;
    private final int by;
    private final Map<String, Row> rows = new HashMap<>();
    private final int costAttribute;
    private final Overrides overrides;

    PreparedLimit(LimitRule rule, AttributeIndex index, Overrides overrides) {
        this.rule = rule;
        this.isForLeases = rule.algorithm() == Algorithm.CONCURRENCY;
        this.conditions = new Conditions(rule.match(), index);
        this.keyParts = rule.per().stream()
                .map(part -> part.stream().mapToInt(index::of).toArray())
                .toArray(int[][]::new);
        this.by = rule.by() == null ? -1 : index.of(rule.by());
        for (String name : rule.rates().keySet()) {
            Row changed = overrides.defaultRow(rule, name);
            List<Rate> rates = Objects.requireNonNull(rule.rates().get(name));
            rows.put(name, changed != null ? changed : new Row(rule.policies(name), windows(rates), null));
        }
        this.costAttribute = costAttribute(rule.cost(), index);
        this.overrides = overrides;
    }

    /** What this limit asks of this request; null if it does not apply. */
    @Nullable
    Demand demand(@Nullable String[] values, Request request) {
        if (!conditions.hold(values)) {
            return null;
        }
        long cost = cost(values, request);
        if (cost == DOES_NOT_APPLY) {
            return null;
        }
        List<String> keyValues = new ArrayList<>(keyParts.length + 2);
        List<String> keyedBy = new ArrayList<>(keyParts.length);
        for (int part = 0; part < keyParts.length; part++) {
            int present = firstPresent(keyParts[part], values);
            if (present < 0) {
                return null;
            }
            keyValues.add(values[keyParts[part][present]]);
            keyedBy.add(rule.per().get(part).get(present));
        }
        return new Demand(this, keyedBy, charges(row(values), keyedBy, keyValues, cost), cost, row(values));
    }

    private List<Charge> charges(Row row, List<String> keyedBy, List<String> keyValues, long cost) {
        List<Charge> charges = new ArrayList<>(row.policies().size());
        for (int i = 0; i < row.policies().size(); i++) {
            charges.add(
                    new Charge(key(row, i, keyedBy, keyValues), row.policies().get(i), cost));
        }
        return charges;
    }

    /**
     * A key is the limit's name and the values that the limit is per. Where `per` has alternatives, the attribute that
     * was present is part of it: device "1.2.3.4" is not the address 1.2.3.4. An override keeps its own counts, and so
     * does each further rate.
     */
    private Key key(Row row, int rate, List<String> keyedBy, List<String> keyValues) {
        List<String> parts = new ArrayList<>(keyValues.size() + 3);
        for (int i = 0; i < keyValues.size(); i++) {
            if (keyParts[i].length > 1) {
                parts.add(keyedBy.get(i));
            }
            parts.add(keyValues.get(i));
        }
        if (row.override() != null) {
            parts.add("override");
            parts.add(row.override());
        }
        if (rate > 0) {
            parts.add("rate");
            parts.add(Integer.toString(rate));
        }
        return Key.of(rule.name(), parts);
    }

    private Row row(@Nullable String[] values) {
        String name = rule.row(by < 0 ? null : values[by]);
        Row overridden = overrides.row(rule, name, values);
        return overridden != null ? overridden : Objects.requireNonNull(rows.get(name));
    }

    private long cost(@Nullable String[] values, Request request) {
        Long named = request.costs().get(rule.name());
        if (named != null) {
            return named;
        }
        if (rule.cost() instanceof CostRule.Fixed fixed) {
            return fixed.cost();
        }
        if (rule.cost() instanceof CostRule.Attribute attribute) {
            String text = values[costAttribute];
            return text == null ? DOES_NOT_APPLY : parseCost(attribute.name(), text);
        }
        if (rule.cost() instanceof CostRule.Rows byRows) {
            String value = values[costAttribute];
            Long row = value == null ? null : byRows.rows().get(value);
            return row != null ? row : byRows.rows().getOrDefault(LimitRule.DEFAULT_ROW, 1L);
        }
        return request.cost();
    }

    private static long parseCost(String attribute, String text) {
        try {
            long cost = Long.parseLong(text);
            if (cost >= 1 && cost <= Policy.MAX_COUNT) {
                return cost;
            }
        } catch (NumberFormatException e) {
            // Said below, as for any other number that is no cost.
        }
        throw new IllegalArgumentException("attribute '" + attribute + "' is '" + shortened(text)
                + "'; as a cost it must be a whole number from 1 to " + Policy.MAX_COUNT);
    }

    private static String shortened(String text) {
        return text.length() <= 32 ? text : text.substring(0, 32) + "…";
    }

    private static int firstPresent(int[] alternatives, @Nullable String[] values) {
        for (int i = 0; i < alternatives.length; i++) {
            if (values[alternatives[i]] != null) {
                return i;
            }
        }
        return -1;
    }

    static List<Duration> windows(List<Rate> rates) {
        return rates.stream()
                .map(rate -> Objects.requireNonNullElse(rate.period(), Duration.ZERO))
                .toList();
    }

    private static int costAttribute(CostRule cost, AttributeIndex index) {
        if (cost instanceof CostRule.Attribute attribute) {
            return index.of(attribute.name());
        }
        return cost instanceof CostRule.Rows rows ? index.of(rows.by()) : -1;
    }
}
