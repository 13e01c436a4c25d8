package dev.weir.server.envoy;

import dev.weir.server.envoy.EnvoyLimit.DescriptorName;
import dev.weir.server.envoy.RateLimitQuery.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Envoy's files as a value: the limits of every domain, and which of them a descriptor is for. Immutable. */
final class EnvoyConfiguration {
    private final Map<String, DescriptorNode> domains;
    private final List<EnvoyLimit> limits;

    EnvoyConfiguration(Map<String, DescriptorNode> domains, List<EnvoyLimit> limits) {
        this.domains = Map.copyOf(domains);
        this.limits = List.copyOf(limits);
    }

    /** All limits, in the order of the files. */
    List<EnvoyLimit> limits() {
        return limits;
    }

    boolean hasDomain(String domain) {
        return domains.containsKey(domain);
    }

    /** The outermost list of descriptors of a domain. */
    DescriptorNode root(String domain) {
        return Objects.requireNonNull(domains.get(domain), "the domain is known");
    }

    /** How much there is, for people: {@code 40 limits in 2 domains}. */
    String summary() {
        return counted(limits.size(), "limit") + " in " + counted(domains.size(), "domain");
    }

    private static String counted(int count, String noun) {
        return count + " " + noun + (count == 1 ? "" : "s");
    }

    /**
     * The limit of a descriptor. It has as many levels as the descriptor has entries; a limit of an outer level does
     * not apply.
     *
     * @return null if there is none, or the domain is unknown
     */
    @Nullable
    Match match(String domain, List<Entry> entries) {
        DescriptorNode node = domains.get(domain);
        if (node == null) {
            return null;
        }
        List<DescriptorNode> path = new ArrayList<>(entries.size());
        for (Entry entry : entries) {
            node = node.find(entry);
            if (node == null) {
                return null;
            }
            path.add(node);
        }
        return node.limit == null ? null : new Match(node.limit, List.copyOf(path), entries);
    }

    /**
     * A limit and the descriptors that led to it.
     *
     * @param path a descriptor for each entry
     */
    record Match(EnvoyLimit limit, List<DescriptorNode> path, List<Entry> entries) {
        /** The entries that make the key: one whose pattern shares its budget has the pattern as its value. */
        List<Entry> keyEntries() {
            if (path.stream().noneMatch(node -> node.sharesThreshold)) {
                return entries;
            }
            List<Entry> own = new ArrayList<>(entries.size());
            for (int i = 0; i < entries.size(); i++) {
                DescriptorNode node = path.get(i);
                own.add(node.sharesThreshold ? new Entry(node.name.key(), node.name.value()) : entries.get(i));
            }
            return own;
        }

        /**
         * The levels of the statistics: the descriptors' own names, with values of the request where they say so. With
         * {@code detailed_metric} an empty value leaves its underscore, unless a level shares its budget: a quirk of
         * the original that its boards know.
         */
        List<String> metricKeys() {
            boolean keepsUnderscores = limit.detailedMetric() && path.stream().noneMatch(node -> node.sharesThreshold);
            List<String> keys = new ArrayList<>(path.size());
            for (int i = 0; i < path.size(); i++) {
                DescriptorNode node = path.get(i);
                boolean isByRequest = !node.sharesThreshold && (limit.detailedMetric() || node.valueToMetric);
                Entry entry = entries.get(i);
                if (keepsUnderscores) {
                    keys.add(entry.key() + "_" + entry.value());
                } else {
                    keys.add((isByRequest ? new DescriptorName(entry.key(), entry.value()) : node.name).text());
                }
            }
            return keys;
        }

        /** The levels of the statistics without values of the request. */
        List<String> plainMetricKeys() {
            return path.stream().map(node -> node.name.text()).toList();
        }
    }
}
