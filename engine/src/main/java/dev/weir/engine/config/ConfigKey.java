package dev.weir.engine.config;

import org.jspecify.annotations.Nullable;

/**
 * One key of the configuration language.
 *
 * @param about one sentence for an editor to show
 * @param fallback what its absence means, for the schema, or null
 */
record ConfigKey<T>(
        String name,
        boolean required,
        String about,
        @Nullable Object fallback,
        Value<T> value) {
    static <T> ConfigKey<T> required(String name, Value<T> value, String about) {
        return new ConfigKey<>(name, true, about, null, value);
    }

    static <T> ConfigKey<T> optional(String name, Value<T> value, String about) {
        return new ConfigKey<>(name, false, about, null, value);
    }

    ConfigKey<T> or(Object absent) {
        return new ConfigKey<>(name, required, about, absent, value);
    }
}
