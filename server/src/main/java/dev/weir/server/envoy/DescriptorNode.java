package dev.weir.server.envoy;

import dev.weir.server.envoy.EnvoyLimit.DescriptorName;
import dev.weir.server.envoy.RateLimitQuery.Entry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One descriptor of Envoy's file, or a domain, with the descriptors in it. Filled by the reader; it does not change
 * after that.
 */
final class DescriptorNode {
    final DescriptorName name;

    @Nullable
    EnvoyLimit limit;

    final boolean valueToMetric;
    final boolean sharesThreshold;
    private final Map<Entry, DescriptorNode> byValue = new HashMap<>();
    /** In the order of the file. */
    private final List<Wildcard> wildcards = new ArrayList<>();

    private final Map<String, DescriptorNode> byKey = new HashMap<>();
    private final List<DescriptorName> names = new ArrayList<>();

    DescriptorNode(DescriptorName name, boolean valueToMetric, boolean sharesThreshold) {
        this.name = name;
        this.valueToMetric = valueToMetric;
        this.sharesThreshold = sharesThreshold;
    }

    /** A pattern, split at its asterisks: each stands for any characters, also none. */
    private record Wildcard(String key, List<String> parts, DescriptorNode node) {
        boolean matches(Entry entry) {
            String value = entry.value();
            String last = parts.get(parts.size() - 1);
            if (!entry.key().equals(key) || !value.startsWith(parts.get(0))) {
                return false;
            }
            int from = parts.get(0).length();
            int end = value.length() - last.length();
            for (int i = 1; i < parts.size() - 1; i++) {
                int found = value.indexOf(parts.get(i), from);
                if (found < 0) {
                    return false;
                }
                from = found + parts.get(i).length();
            }
            return from <= end && value.endsWith(last);
        }
    }

    /** Adds a descriptor; returns false if there is one with the same key and value. */
    boolean add(DescriptorNode node) {
        DescriptorName added = node.name;
        names.add(added);
        if (added.value().isEmpty()) {
            return byKey.putIfAbsent(added.key(), node) == null;
        }
        if (byValue.putIfAbsent(new Entry(added.key(), added.value()), node) != null) {
            return false;
        }
        if (added.isWildcard()) {
            wildcards.add(new Wildcard(added.key(), List.of(added.value().split("\\*", -1)), node));
        }
        return true;
    }

    /** The descriptors with this key, in the order of the file. */
    List<DescriptorName> namesOf(String key) {
        return names.stream().filter(known -> known.key().equals(key)).toList();
    }

    /** The descriptor with exactly this name. */
    DescriptorNode child(DescriptorName known) {
        DescriptorNode node =
                known.value().isEmpty() ? byKey.get(known.key()) : byValue.get(new Entry(known.key(), known.value()));
        return Objects.requireNonNull(node, "the descriptor is in this list");
    }

    /** The descriptor for an entry: that of its value, else the first pattern that matches, else that of its key. */
    @Nullable
    DescriptorNode find(Entry entry) {
        DescriptorNode exact = byValue.get(entry);
        if (exact != null) {
            return exact;
        }
        for (int i = 0; i < wildcards.size(); i++) {
            if (wildcards.get(i).matches(entry)) {
                return wildcards.get(i).node;
            }
        }
        return byKey.get(entry.key());
    }
}
