package dev.weir.engine.config;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a key may hold: how it is read, and how a JSON Schema says it. */
interface Value<T> {
    /**
     * The value; null when it is not one, which is then among the faults.
     *
     * @param what how a message calls it
     */
    @Nullable
    T read(Yaml node, String what, Faults faults);

    /** The JSON Schema of what {@link #read} accepts. */
    Map<String, Object> schema();
}
