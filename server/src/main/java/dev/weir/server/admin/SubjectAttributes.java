package dev.weir.server.admin;

import dev.weir.engine.config.ClassifyRule;
import dev.weir.engine.config.Configuration;
import dev.weir.engine.config.CostRule;
import dev.weir.engine.config.LimitRule;
import dev.weir.engine.config.PenaltyRule;
import dev.weir.engine.config.WellKnownAttributes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The attributes that identify subjects in a configuration, and the other attributes needed to look up their budgets.
 * Immutable.
 */
public final class SubjectAttributes {
    private final List<String> ranked;
    private final Set<String> subjects = new HashSet<>(WellKnownAttributes.SUBJECTS);
    private final String bare;
    /** The attributes that classification sets. */
    private final Set<String> classified;

    private final Map<String, Set<String>> relevant = new HashMap<>();
    private final Map<String, List<String>> keys = new HashMap<>();

    public SubjectAttributes(Configuration configuration) {
        classified = configuration.classify().stream().map(ClassifyRule::set).collect(Collectors.toUnmodifiableSet());
        Set<String> found = new LinkedHashSet<>();
        for (LimitRule limit : configuration.limits()) {
            List<String> names = limit.per().stream().flatMap(List::stream).toList();
            keys.put(limit.name(), names);
            String best = best(names);
            if (best == null) {
                continue;
            }
            // In a key part such as "user|ip", either attribute may identify the subject.
            for (List<String> part : limit.per()) {
                if (part.contains(best)) {
                    part.forEach(name -> learn(name, limit));
                    found.addAll(part);
                }
            }
        }
        List<String> order = new ArrayList<>(
                WellKnownAttributes.SUBJECTS.stream().filter(found::contains).toList());
        found.stream().filter(name -> !order.contains(name)).forEach(order::add);
        ranked = List.copyOf(order);
        subjects.addAll(ranked);
        PenaltyRule penalty = configuration.penalty();
        List<String> penalized = penalty == null ? List.of() : penalty.per();
        subjects.addAll(penalized);
        bare = Stream.of(penalized, ranked, WellKnownAttributes.SUBJECTS)
                .flatMap(List::stream)
                .findFirst()
                .orElseThrow();
    }

    /**
     * Returns the attribute of a value given without one: the penalty's first, or else the most specific one of the
     * limits.
     */
    public String bare() {
        return bare;
    }

    /** Whether an attribute identifies a subject: limits or the penalty are per this attribute, or it is well known. */
    public boolean isSubject(String attribute) {
        return subjects.contains(attribute);
    }

    private void learn(String name, LimitRule limit) {
        Set<String> needs = relevant.computeIfAbsent(name, key -> new HashSet<>(Set.of(name)));
        limit.per().stream().filter(part -> !part.contains(name)).forEach(needs::addAll);
        // Without its value a classified attribute has its default, and the limit would seem not to apply.
        limit.match().keySet().stream().filter(classified::contains).forEach(needs::add);
        if (limit.by() != null) {
            needs.add(limit.by());
        }
        if (limit.cost() instanceof CostRule.Rows rows) {
            needs.add(rows.by());
        }
    }

    /** Returns those of the attributes that identify subjects in limits, the most specific first. */
    public List<String> of(Map<String, String> attributes) {
        return ranked.stream().filter(attributes::containsKey).toList();
    }

    /** Returns the attribute that identifies the subject of a limit's budget; null if all requests share the budget. */
    @Nullable
    public String of(String limit, Map<String, String> attributes) {
        return best(keys.getOrDefault(limit, List.of()).stream()
                .filter(attributes::containsKey)
                .toList());
    }

    /**
     * Returns the attribute that identifies the subject of a budget with this key; null if all requests share the
     * budget.
     */
    public static @Nullable String best(Collection<String> keyedBy) {
        for (String name : WellKnownAttributes.SUBJECTS) {
            if (keyedBy.contains(name)) {
                return name;
            }
        }
        return keyedBy.isEmpty() ? null : keyedBy.iterator().next();
    }

    /** Returns those of the attributes that the budgets of the subject depend on. */
    public Map<String, String> relevant(String identity, Map<String, String> attributes) {
        Map<String, String> chosen = new TreeMap<>();
        for (String name : relevant.getOrDefault(identity, Set.of(identity))) {
            String value = attributes.get(name);
            if (value != null) {
                chosen.put(name, value);
            }
        }
        return chosen;
    }
}
