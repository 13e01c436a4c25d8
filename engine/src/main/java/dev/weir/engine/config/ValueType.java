package dev.weir.engine.config;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The type of a key's value.
 *
 * @param schema the JSON Schema of what {@link #read} accepts
 */
record ValueType<T>(Map<String, Object> schema, Reader<T> reader) {

    /** Reads a value. */
    interface Reader<T> {
        @Nullable
        T read(Yaml node, String what, Faults faults);
    }

    /**
     * Reads the value; null if it is invalid, which is then among the faults.
     *
     * @param what the value in messages
     */
    @Nullable
    T read(Yaml node, String what, Faults faults) {
        return reader.read(node, what, faults);
    }
}
