package dev.weir.engine.plan;

import dev.weir.engine.config.ClassifyRule;
import dev.weir.engine.config.Configuration;
import dev.weir.engine.config.CostRule;
import dev.weir.engine.config.LimitRule;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Set;

/**
 * The limits of a plan that can be decided before some attributes are known. Their conditions, key, rate and cost
 * depend on none of these attributes, nor on attributes derived from them. Immutable.
 */
public final class EarlyLimits {
    private final Set<PreparedLimit> limits;
    private final boolean[] later;

    private EarlyLimits(Set<PreparedLimit> limits, boolean[] later) {
        this.limits = limits;
        this.later = later;
    }

    static EarlyLimits of(Configuration configuration, PreparedLimit[] all, String[] names, Set<String> later) {
        Set<String> unknown = new HashSet<>(later);
        // In their order, since each rule sees only what the rules before it derived.
        for (ClassifyRule rule : configuration.classify()) {
            if (unknown.contains(rule.from())) {
                unknown.add(rule.set());
            }
        }
        boolean[] isLater = new boolean[names.length];
        Set<Integer> numbers = new HashSet<>();
        for (int i = 0; i < names.length; i++) {
            isLater[i] = later.contains(names[i]);
            if (unknown.contains(names[i])) {
                numbers.add(i);
            }
        }
        Set<PreparedLimit> early = Collections.newSetFromMap(new IdentityHashMap<>());
        for (PreparedLimit limit : all) {
            if (Collections.disjoint(attributes(limit.rule), unknown) && !limit.hasOverridesBy(numbers)) {
                early.add(limit);
            }
        }
        return new EarlyLimits(early, isLater);
    }

    public boolean contains(PreparedLimit limit) {
        return limits.contains(limit);
    }

    /** Whether the attribute with this number becomes known later. */
    boolean isLater(int attribute) {
        return later[attribute];
    }

    /** The attributes that a limit's decision depends on. */
    static Set<String> attributes(LimitRule rule) {
        Set<String> names = new HashSet<>(rule.match().keySet());
        rule.per().forEach(names::addAll);
        if (rule.by() != null) {
            names.add(rule.by());
        }
        if (rule.cost() instanceof CostRule.Attribute attribute) {
            names.add(attribute.name());
        } else if (rule.cost() instanceof CostRule.Rows rows) {
            names.add(rows.by());
        }
        return names;
    }
}
