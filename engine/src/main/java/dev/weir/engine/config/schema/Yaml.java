package dev.weir.engine.config.schema;

import java.util.List;

/** A YAML document as a tree. Every value has its location, and placeholders have been replaced. */
public sealed interface Yaml {
    SourceLocation location();

    /**
     * A single value.
     *
     * @param text with placeholders replaced
     * @param typed whether it may be read as a number, a flag or null: it was written without quotes, or came from a
     *     placeholder
     * @param secret whether part of it came from the environment
     */
    record Scalar(SourceLocation location, String text, boolean typed, boolean secret) implements Yaml {
        /** Whether it stands for no value: empty, {@code ~} or {@code null}. */
        public boolean isNull() {
            return typed
                    && switch (text) {
                        case "", "~", "null", "Null", "NULL" -> true;
                        default -> false;
                    };
        }
    }

    /** A list. */
    record Items(SourceLocation location, List<Yaml> items) implements Yaml {}

    /** A mapping with unique keys. */
    record Entries(SourceLocation location, List<Entry> entries) implements Yaml {}

    /** A key and its value. */
    record Entry(SourceLocation location, String key, Yaml value) {}

    /** A node whose fault has been reported. */
    record Broken(SourceLocation location) implements Yaml {}

    /** A node in messages: {@code 'abc'}, {@code a list}. */
    static String describe(Yaml node) {
        if (node instanceof Scalar scalar) {
            return scalar.isNull() ? "empty" : Faults.quote(scalar.text());
        }
        return node instanceof Items ? "a list" : "a mapping";
    }
}
