package dev.weir.engine.config;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * A value for each value of an attribute, or one value for all.
 *
 * @param rows by name; each has the location of its name, or of the value if it is the only one
 * @param named whether the rows were written with names
 */
record Rows<T>(Map<String, Placed<T>> rows, boolean named) {
    /** Reads a single value, or a mapping from rows to such values. */
    static <T> Value<Rows<T>> of(Value<T> item) {
        Value<Map<String, Placed<T>>> map = Values.map(Values.TEXT, item);
        return new Value<>(Values.anyOf(item.schema(), map.schema()), (node, what, faults) -> {
            if (node instanceof Yaml.Entries) {
                Map<String, Placed<T>> rows = map.read(node, what, faults);
                return rows == null ? null : new Rows<>(rows, true);
            }
            T only = item.read(node, what, faults);
            return only == null
                    ? null
                    : new Rows<>(Map.of(LimitRule.DEFAULT_ROW, new Placed<>(node.place(), only)), false);
        });
    }

    <R> Map<String, R> plain(Function<T, R> to) {
        Map<String, R> plain = new LinkedHashMap<>();
        rows.forEach((name, row) -> plain.put(name, to.apply(row.value())));
        return plain;
    }
}
