package dev.weir.engine.config.schema;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The type of a key's value.
 *
 * @param schema the JSON Schema of what {@link #read} accepts
 */
public record ValueType<T>(Map<String, Object> schema, Reader<T> reader) {

    /** Reads a value. */
    public interface Reader<T> {
        @Nullable
        public T read(Yaml node, String what, Faults faults);
    }

    /**
     * Reads the value; null if it is invalid, which is then among the faults.
     *
     * @param what the value in messages
     */
    @Nullable
    public T read(Yaml node, String what, Faults faults) {
        return reader.read(node, what, faults);
    }
}
