package dev.weir.engine.config;

import dev.weir.DurationText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What differs between two configurations, a line for each value: {@code limits.heavy.rate.default: 10/day → 20/day}.
 *
 * <p>Every key of the file is compared, so that no change is missed. A list of limits or of classifications
 * is compared by the names of its entries. Alerts show neither their webhooks nor their secrets. Lines and their number
 * are bounded.
 */
public final class ConfigurationChanges {
    private static final int MOST_LINES = 100;
    private static final int LONGEST_VALUE = 120;
    private static final String NOTHING = "nothing";

    private ConfigurationChanges() {}

    /** Returns the changes, in the order of the file's keys; empty if there are none. */
    public static List<String> between(Configuration before, Configuration after) {
        Map<String, Object> old = new LinkedHashMap<>();
        Map<String, Object> now = new LinkedHashMap<>();
        flatten("", before, old);
        flatten("", after, now);
        Set<String> keys = new LinkedHashSet<>(old.keySet());
        keys.addAll(now.keySet());
        List<String> changes = new ArrayList<>();
        changes.addAll(limits(after, before, "added"));
        changes.addAll(limits(before, after, "removed"));
        Set<String> both = names(before);
        both.retainAll(names(after));
        for (String key : keys) {
            if (!Objects.equals(old.get(key), now.get(key)) && (!key.startsWith("limits.") || isOfOne(key, both))) {
                changes.add(key + ": " + text(old.get(key)) + " → " + text(now.get(key)));
            }
        }
        if (changes.size() <= MOST_LINES) {
            return List.copyOf(changes);
        }
        int left = changes.size() - MOST_LINES;
        List<String> first = new ArrayList<>(changes.subList(0, MOST_LINES));
        first.add("and " + left + " more");
        return List.copyOf(first);
    }

    /** Returns a line for each limit of the first configuration that the second one lacks. */
    private static List<String> limits(Configuration first, Configuration second, String what) {
        Set<String> others = names(second);
        return first.limits().stream()
                .filter(limit -> !others.contains(limit.name()))
                .map(limit -> "limits." + limit.name() + ": " + what + ", rate " + text(limit.rates()))
                .toList();
    }

    private static Set<String> names(Configuration configuration) {
        return configuration.limits().stream()
                .map(LimitRule::name)
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    private static boolean isOfOne(String key, Set<String> limits) {
        return limits.stream().anyMatch(name -> key.startsWith("limits." + name + "."));
    }

    private static void flatten(String path, @Nullable Object value, Map<String, Object> all) {
        if (value == null) {
            return;
        }
        if (value instanceof Map<?, ?> map) {
            map.forEach((key, part) -> flatten(path + "." + key, part, all));
        } else if (value instanceof Collection<?> list && list.stream().anyMatch(ConfigurationChanges::isNamed)) {
            list.forEach(part -> flatten(path + "." + name(part), part, all));
        } else {
            Map<String, @Nullable Object> parts = parts(value);
            if (parts == null) {
                all.put(path, value);
            } else {
                parts.forEach((name, part) -> flatten(path.isEmpty() ? name : path + "." + name, part, all));
            }
        }
    }

    private static boolean isNamed(@Nullable Object value) {
        return value instanceof LimitRule || value instanceof ClassifyRule;
    }

    private static String name(@Nullable Object value) {
        return value instanceof LimitRule limit
                ? limit.name()
                : value instanceof ClassifyRule rule ? rule.set() : String.valueOf(value);
    }

    /**
     * Returns the parts of a value by the keys of the file; null if it has none. Written out, because a native image would
     * need metadata to find the components of a record. A test counts them.
     */
    static @Nullable Map<String, @Nullable Object> parts(Object value) {
        Map<String, @Nullable Object> parts = new LinkedHashMap<>();
        if (value instanceof Configuration all) {
            parts.put("enabled", all.enabled());
            parts.put("store", all.shownStore());
            parts.put("on-store-failure", all.onStoreFailure());
            parts.put("trusted-proxies", all.trustedProxies());
            parts.put("forward-auth", all.forwardAuth());
            parts.put("ipv6-prefix", all.ipv6Prefix());
            parts.put("defaults", all.defaults());
            parts.put("classify", all.classify());
            parts.put("limits", all.limits());
            parts.put("penalty", all.penalty());
            parts.put("exempt", all.exempt());
            parts.put("alerts", all.alerts());
            parts.put("holds", all.holds());
            parts.put("paths", all.paths());
        } else if (value instanceof LimitRule limit) {
            parts.put("name", limit.name());
            parts.put("match", limit.match());
            parts.put("per", limit.per());
            parts.put("by", limit.by());
            parts.put("rate", limit.rates());
            parts.put("algorithm", limit.algorithm());
            parts.put("burst", limit.burst());
            parts.put("cost", limit.cost());
            parts.put("charge", limit.charge());
            parts.put("warn", limit.warnPercent());
            parts.put("shadow", limit.shadow());
            parts.put("on-store-failure", limit.onStoreFailure());
            parts.put("on-missing", limit.onMissing());
            parts.put("scope", limit.scope());
            parts.put("calendar", limit.calendar());
        } else if (value instanceof ClassifyRule rule) {
            parts.put("set", rule.set());
            parts.put("from", rule.from());
            parts.put("values", rule.values());
            parts.put("default", rule.otherwise());
        } else if (value instanceof PenaltyRule penalty) {
            parts.put("per", penalty.per());
            parts.put("backoff", penalty.backoff());
            parts.put("reset-after", penalty.resetAfter());
            parts.put("enforce", penalty.enforce());
        } else if (value instanceof ForwardAuthRule forward) {
            parts.put("headers", forward.headers());
            parts.put("client-address", forward.clientAddress());
        } else if (value instanceof HoldRule holds) {
            parts.put("longest-reservation", holds.longestReservation());
            parts.put("longest-lease", holds.longestLease());
            parts.put("open-reservations", holds.openReservations());
        } else if (value instanceof PathRules paths) {
            parts.put("ambiguous", paths.ambiguous());
            parts.put("case", paths.letterCase());
        } else {
            return null;
        }
        return parts;
    }

    private static String text(@Nullable Object value) {
        String text = value == null ? NOTHING : shown(value);
        return text.length() <= LONGEST_VALUE ? text : text.substring(0, LONGEST_VALUE) + "…";
    }

    private static String shown(Object value) {
        if (value instanceof Collection<?> list) {
            return list.isEmpty()
                    ? NOTHING
                    : list.stream().map(ConfigurationChanges::text).collect(Collectors.joining(", "));
        }
        if (value instanceof Map<?, ?> rows) {
            return rows.entrySet().stream()
                    .map(row -> row.getKey() + " " + text(row.getValue()))
                    .collect(Collectors.joining(", "));
        }
        if (value instanceof Condition condition) {
            String patterns = String.join(", ", condition.patterns());
            return condition.orAbsent() ? (patterns.isEmpty() ? "absent" : patterns + " or absent") : patterns;
        }
        if (value instanceof CostRule.Fixed fixed) {
            return Long.toString(fixed.cost());
        }
        if (value instanceof CostRule.Attribute attribute) {
            return attribute.name();
        }
        if (value instanceof CostRule.Requested) {
            return "that of the request";
        }
        return value instanceof Duration duration ? DurationText.of(duration) : String.valueOf(value);
    }
}
