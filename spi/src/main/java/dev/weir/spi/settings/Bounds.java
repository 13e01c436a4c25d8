package dev.weir.spi.settings;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** The bounds of settings; each message names the value found and the values allowed. */
final class Bounds {
    static final int MAX_NAME = 256;
    static final int MAX_VALUE = 1_024;
    /** The maximum number of attributes, the same as for a request. */
    static final int MAX_ATTRIBUTES = 64;

    static final int MAX_ATTRIBUTE = 8_192;
    static final int MAX_RATES_OF_ONE = 1_000;
    static final int MAX_OVERRIDES = 10_000;
    static final int MAX_EXEMPT = 10_000;

    private Bounds() {}

    /** Checks a name from the configuration: valid Unicode, not empty, at most 256 characters. */
    static void name(String what, String name) {
        if (name.isEmpty() || name.length() > MAX_NAME) {
            throw new IllegalArgumentException(
                    what + " has " + name.length() + " characters; it must have 1 to " + MAX_NAME);
        }
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(name)) {
            throw new IllegalArgumentException(
                    what + " has half of a character (an unpaired surrogate); write it whole");
        }
    }

    /** Checks a value from clients: any text of at most 1,024 characters. */
    static void value(String what, String value) {
        if (value.length() > MAX_VALUE) {
            throw new IllegalArgumentException(
                    what + " has " + value.length() + " characters; it must have at most " + MAX_VALUE);
        }
    }

    static void count(String what, int count, int max) {
        if (count > max) {
            throw new IllegalArgumentException(
                    "there would be " + count + " " + what + "; at most " + max + " are kept");
        }
    }

    /** An unmodifiable copy of limit → row → rate, in the same order. */
    static Map<String, Map<String, String>> rates(Map<String, Map<String, String>> limits) {
        Map<String, Map<String, String>> copy = new LinkedHashMap<>();
        int rates = 0;
        for (Map.Entry<String, Map<String, String>> limit : limits.entrySet()) {
            name("limit", limit.getKey());
            Map<String, String> rows = new LinkedHashMap<>(limit.getValue());
            for (Map.Entry<String, String> row : rows.entrySet()) {
                name("row", row.getKey());
                name("rate", row.getValue());
            }
            rates += rows.size();
            copy.put(limit.getKey(), Collections.unmodifiableMap(rows));
        }
        count("rates for one subject", rates, MAX_RATES_OF_ONE);
        return Collections.unmodifiableMap(copy);
    }

    /** An unmodifiable copy of attribute → value, in the same order. */
    static Map<String, String> attributes(Map<String, String> attributes) {
        count("attributes", attributes.size(), MAX_ATTRIBUTES);
        Map<String, String> copy = new LinkedHashMap<>(attributes);
        copy.forEach((name, value) -> {
            name("attribute", name);
            if (value.length() > MAX_ATTRIBUTE) {
                throw new IllegalArgumentException(
                        "attribute '" + name + "' has " + value.length() + " characters; it may have " + MAX_ATTRIBUTE);
            }
        });
        return Collections.unmodifiableMap(copy);
    }

    /** An unmodifiable copy of values, in the same order. */
    static Set<String> values(Collection<String> values) {
        Set<String> copy = new LinkedHashSet<>(values);
        copy.forEach(value -> value("value", value));
        count("exempt values", copy.size(), MAX_EXEMPT);
        return Collections.unmodifiableSet(copy);
    }
}
