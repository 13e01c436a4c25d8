package dev.weir.server.envoy;

import dev.weir.engine.config.schema.Faults;
import dev.weir.engine.config.schema.SourceLocation;
import dev.weir.engine.config.schema.ValueTypes;
import dev.weir.engine.config.schema.Yaml;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The keys of one mapping in Envoy's file and their values. A value with a fault reads as absent. */
final class EnvoyFields {
    private static final Set<String> TRUE_WORDS = Set.of("true", "yes", "on", "y");
    private static final Set<String> FALSE_WORDS = Set.of("false", "no", "off", "n");

    private static final long MOST_REQUESTS = 0xFFFF_FFFFL;

    private final Yaml.Entries mapping;
    private final String noun;
    private final Faults faults;
    private final Map<String, Yaml.Entry> given = new HashMap<>();

    private EnvoyFields(Yaml.Entries mapping, String noun, Faults faults) {
        this.mapping = mapping;
        this.noun = noun;
        this.faults = faults;
    }

    /** The kinds of mappings and the keys that each may have. */
    enum Kind {
        FILE("domain, descriptors"),
        DESCRIPTOR("key, value, rate_limit, descriptors, shadow_mode, quota_mode, share_threshold, detailed_metric,"
                + " value_to_metric, metadata"),
        RATE_LIMIT("unit, requests_per_unit, unlimited, name, replaces"),
        REPLACES("name");

        /** Separated by commas. */
        private final String keys;

        Kind(String keys) {
            this.keys = keys;
        }

        private List<String> keys() {
            return List.of(keys.split(", ", -1));
        }

        private static @Nullable Kind of(String key) {
            for (Kind kind : values()) {
                if (kind.keys().contains(key)) {
                    return kind;
                }
            }
            return null;
        }

        private String text() {
            return switch (this) {
                case FILE -> "the file";
                case DESCRIPTOR -> "a descriptor";
                case RATE_LIMIT -> "'rate_limit'";
                case REPLACES -> "an item of 'replaces'";
            };
        }
    }

    /**
     * The keys of a mapping; null if the node is no mapping, which is then among the faults.
     *
     * @param noun the mapping in messages
     */
    static @Nullable EnvoyFields of(Yaml node, Kind kind, String noun, Faults faults) {
        if (!(node instanceof Yaml.Entries mapping)) {
            if (!(node instanceof Yaml.Broken)) {
                ValueTypes.expected("a mapping with " + kind.keys, node, noun, faults);
            }
            return null;
        }
        EnvoyFields fields = new EnvoyFields(mapping, noun, faults);
        List<String> known = kind.keys();
        for (Yaml.Entry entry : mapping.entries()) {
            if (known.contains(entry.key())) {
                fields.given.put(entry.key(), entry);
            } else {
                faults.add(
                        entry.location(),
                        "unknown key " + Faults.quote(entry.key()) + " in " + noun + cure(entry.key(), kind));
            }
        }
        return fields;
    }

    private static String cure(String key, Kind kind) {
        Kind other = Kind.of(key);
        if (other != null) {
            return "; it belongs in " + other.text();
        }
        String nearest = Faults.didYouMean(key, kind.keys());
        return nearest.isEmpty() ? "; choose one of " + kind.keys : nearest;
    }

    /** The location of the mapping. */
    SourceLocation start() {
        return mapping.location();
    }

    /** The location of a key's value, or of the mapping if the key is absent. */
    SourceLocation location(String key) {
        Yaml.Entry entry = given.get(key);
        return entry == null ? mapping.location() : entry.value().location();
    }

    boolean has(String key) {
        Yaml.Entry entry = given.get(key);
        return entry != null && !(entry.value() instanceof Yaml.Scalar scalar && scalar.isNull());
    }

    /** The value of a key; null if it is absent or empty. */
    @Nullable
    Yaml node(String key) {
        return has(key) ? Objects.requireNonNull(given.get(key)).value() : null;
    }

    /** A text; null if it is absent, empty or faulty. */
    @Nullable
    String text(String key) {
        Yaml node = node(key);
        if (node == null || node instanceof Yaml.Broken) {
            return null;
        }
        if (node instanceof Yaml.Scalar scalar) {
            return scalar.text().isEmpty() ? null : scalar.text();
        }
        ValueTypes.expected("a text", node, key, faults);
        return null;
    }

    /** A text that must be given; null if it is faulty. */
    @Nullable
    String requiredText(String key) {
        String text = text(key);
        boolean isReported = node(key) instanceof Yaml.Items || node(key) instanceof Yaml.Entries;
        if (text == null && !isReported) {
            faults.add(mapping.location(), noun + " has no '" + key + "'; it needs one");
        }
        return text;
    }

    /** A flag, which YAML 1.1 spells in several ways; false if it is absent. */
    boolean flag(String key) {
        Yaml node = node(key);
        if (node == null || node instanceof Yaml.Broken) {
            return false;
        }
        String text = node instanceof Yaml.Scalar scalar ? scalar.text().toLowerCase(Locale.ROOT) : "";
        if (TRUE_WORDS.contains(text)) {
            return true;
        }
        if (!FALSE_WORDS.contains(text)) {
            ValueTypes.expected("true or false", node, key, faults);
        }
        return false;
    }

    /**
     * A count that must be given; null if it is faulty. A leading zero is a fault: YAML 1.1, and so the original, reads
     * {@code 010} as 8.
     */
    @Nullable
    Long requiredCount(String key) {
        Yaml node = node(key);
        if (node == null) {
            faults.add(mapping.location(), noun + " has no '" + key + "'; it needs one, and 0 refuses every request");
            return null;
        }
        if (node instanceof Yaml.Scalar scalar && scalar.text().matches("\\+?(0|[1-9][0-9_]{0,12})")) {
            long count = Long.parseLong(scalar.text().replace("_", "").replace("+", ""));
            if (count <= MOST_REQUESTS) {
                return count;
            }
        }
        if (!(node instanceof Yaml.Broken)) {
            ValueTypes.expected("a whole number from 0 to " + MOST_REQUESTS, node, key, faults);
        }
        return null;
    }

    /** The items of a list; empty if it is absent or faulty. */
    List<Yaml> items(String key) {
        Yaml node = node(key);
        if (node == null || node instanceof Yaml.Broken) {
            return List.of();
        }
        if (node instanceof Yaml.Items list) {
            return list.items();
        }
        ValueTypes.expected("a list", node, key, faults);
        return List.of();
    }
}
