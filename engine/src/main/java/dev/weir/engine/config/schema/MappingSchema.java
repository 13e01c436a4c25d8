package dev.weir.engine.config.schema;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one kind of mapping. The reader and the JSON Schema are both derived from it, so both know the same keys.
 */
public final class MappingSchema {
    /** In the order of the documentation. */
    private final List<ConfigKey<?>> keys = new ArrayList<>();

    public <T> ConfigKey<T> required(String name, ValueType<T> value, String about) {
        return add(new ConfigKey<>(name, true, about, null, value));
    }

    <T> ConfigKey<T> optional(String name, ValueType<T> value, String about) {
        return add(new ConfigKey<>(name, false, about, null, value));
    }

    /** Adds a key with the default {@code fallback}. */
    <T> ConfigKey<T> optional(String name, ValueType<T> value, String about, Object fallback) {
        return add(new ConfigKey<>(name, false, about, fallback, value));
    }

    private <T> ConfigKey<T> add(ConfigKey<T> key) {
        keys.add(key);
        return key;
    }

    /**
     * Reads all keys of a mapping, in any order.
     *
     * @param noun the mapping in messages: {@code limit 'general'}
     */
    public Fields read(Yaml.Entries mapping, String noun, Faults faults) {
        Map<String, Yaml.Entry> given = new HashMap<>();
        for (Yaml.Entry entry : mapping.entries()) {
            if (keys.stream().anyMatch(key -> key.name().equals(entry.key()))) {
                given.put(entry.key(), entry);
            } else {
                faults.add(
                        entry.location(),
                        "unknown key " + Faults.quote(entry.key()) + " in " + noun + suggestion(entry));
            }
        }
        Map<ConfigKey<?>, Object> values = new HashMap<>();
        for (ConfigKey<?> key : keys) {
            Yaml.Entry entry = given.get(key.name());
            if (entry != null) {
                Object value = key.value().read(entry.value(), key.name(), faults);
                if (value != null) {
                    values.put(key, value);
                }
            } else if (key.required()) {
                faults.add(mapping.location(), noun + " has no '" + key.name() + "'; it needs one");
            }
        }
        return new Fields(mapping.location(), given, values);
    }

    private String suggestion(Yaml.Entry entry) {
        List<String> known = keys.stream().map(ConfigKey::name).toList();
        String nearest = Faults.didYouMean(entry.key(), known);
        return nearest.isEmpty() ? "; choose one of " + String.join(", ", known) : nearest;
    }

    /** The values of a mapping. */
    public static final class Fields {
        private final SourceLocation location;
        private final Map<String, Yaml.Entry> given;
        private final Map<ConfigKey<?>, Object> values;

        private Fields(SourceLocation location, Map<String, Yaml.Entry> given, Map<ConfigKey<?>, Object> values) {
            this.location = location;
            this.given = given;
            this.values = values;
        }

        /** The value of a key; null if it is absent or faulty. */
        @SuppressWarnings("unchecked") // a key's value was read by that key
        public <T> @Nullable T get(ConfigKey<T> key) {
            return (T) values.get(key);
        }

        public <T> T get(ConfigKey<T> key, T absent) {
            T value = get(key);
            return value == null ? absent : value;
        }

        boolean has(ConfigKey<?> key) {
            return given.containsKey(key.name());
        }

        /** The location of the key's value, or of the mapping if the key is absent. */
        public SourceLocation location(ConfigKey<?> key) {
            Yaml.Entry entry = given.get(key.name());
            return entry == null ? location : entry.value().location();
        }

        /** The location of the key itself, or of the mapping if the key is absent. */
        SourceLocation keyPlace(ConfigKey<?> key) {
            Yaml.Entry entry = given.get(key.name());
            return entry == null ? location : entry.location();
        }
    }

    public Map<String, Object> schema() {
        Map<String, Object> properties = new LinkedHashMap<>();
        List<String> required = new ArrayList<>();
        for (ConfigKey<?> key : keys) {
            Map<String, Object> property = new LinkedHashMap<>();
            property.put("description", key.about());
            if (key.fallback() != null) {
                property.put("default", key.fallback());
            }
            property.putAll(key.value().schema());
            properties.put(key.name(), property);
            if (key.required()) {
                required.add(key.name());
            }
        }
        Map<String, Object> schema = new LinkedHashMap<>();
        schema.put("type", "object");
        schema.put("additionalProperties", false);
        if (!required.isEmpty()) {
            schema.put("required", required);
        }
        schema.put("properties", properties);
        return schema;
    }
}
