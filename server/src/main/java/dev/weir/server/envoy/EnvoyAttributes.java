package dev.weir.server.envoy;

import dev.weir.server.envoy.RateLimitQuery.Entry;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The attributes of a descriptor. */
final class EnvoyAttributes {
    static final String DOMAIN = "domain";

    /** The keys of the entries in their order, joined by commas: {@code plan,user}. */
    static final String DESCRIPTOR = "descriptor";

    /** The entries: {@code plan=free,user=alice}. */
    static final String ENTRIES = "entries";

    /** The number of the window since 1970. */
    static final String WINDOW = "window";

    private EnvoyAttributes() {}

    /**
     * A descriptor's attributes under Weir's own configuration: the domain, the keys and an attribute for each entry. A
     * key that is repeated gets its number: the second {@code generic_key} is {@code generic_key.2}.
     */
    static Map<String, String> of(String domain, List<Entry> entries) {
        Map<String, String> attributes = new LinkedHashMap<>();
        Map<String, Integer> uses = new HashMap<>();
        for (Entry entry : entries) {
            attributes.put(numbered(entry.key(), uses), entry.value());
        }
        attributes.put(DOMAIN, domain);
        attributes.put(
                DESCRIPTOR, EntriesText.keys(entries.stream().map(Entry::key).toList()));
        return attributes;
    }

    /** The name of the attribute for the next entry with this key. */
    static String numbered(String key, Map<String, Integer> uses) {
        int use = uses.merge(key, 1, Integer::sum);
        return use == 1 ? key : key + "." + use;
    }
}
