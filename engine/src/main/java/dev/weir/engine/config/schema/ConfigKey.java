package dev.weir.engine.config.schema;

import org.jspecify.annotations.Nullable;

/**
 * One key of the configuration language.
 *
 * @param about one sentence that editors display
 * @param fallback the default value, for the schema, or null
 */
public record ConfigKey<T>(
        String name,
        boolean required,
        String about,
        @Nullable Object fallback,
        ValueType<T> value) {}
