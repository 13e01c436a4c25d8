package dev.weir.engine.config;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a key may hold.
 *
 * @param schema the JSON Schema of what {@link #read} accepts
 */
record Value<T>(Map<String, Object> schema, Reader<T> reader) {

    /** How it is read. */
    interface Reader<T> {
        @Nullable
        T read(Yaml node, String what, Faults faults);
    }

    /**
     * The value; null when it is not one, which is then among the faults.
     *
     * @param what how a message calls it
     */
    @Nullable
    T read(Yaml node, String what, Faults faults) {
        return reader.read(node, what, faults);
    }
}
