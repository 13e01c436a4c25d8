package dev.weir.server.envoy;

import dev.weir.server.envoy.RateLimitQuery.Unit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A {@code rate_limit} of Envoy's file, with what its descriptor says of it.
 *
 * @param domain the domain that it is in
 * @param path the descriptors from the outermost to its own
 * @param limit the name of Weir's limit for it; unique, and stable while the path is the same
 * @param requestsPerUnit 0 refuses every request
 * @param unit the length of its windows; null if it is unlimited
 * @param name the name that other limits replace it by; null if it has none
 * @param replaces the names of the limits that do not apply where this one does
 * @param shadow whether it is counted and never refuses
 * @param quota whether it refuses only together with every other quota of the request
 * @param detailedMetric whether its statistics are by the values of the request
 */
record EnvoyLimit(
        String domain,
        List<DescriptorName> path,
        String limit,
        long requestsPerUnit,
        @Nullable Unit unit,
        @Nullable String name,
        List<String> replaces,
        boolean shadow,
        boolean quota,
        boolean detailedMetric) {
    EnvoyLimit {
        path = List.copyOf(path);
        replaces = List.copyOf(replaces);
    }

    boolean isUnlimited() {
        return unit == null;
    }

    /** The keys of its descriptors, joined by commas. */
    String keys() {
        return EntriesText.keys(path.stream().map(DescriptorName::key).toList());
    }

    /**
     * The name of one level of descriptors.
     *
     * @param value the value or pattern; empty for every value
     */
    record DescriptorName(String key, String value) {
        boolean isWildcard() {
            return value.indexOf('*') >= 0;
        }

        /** As in the statistics: the key alone, or with its value. */
        String text() {
            return value.isEmpty() ? key : key + "_" + value;
        }
    }
}
