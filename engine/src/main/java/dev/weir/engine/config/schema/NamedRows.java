package dev.weir.engine.config.schema;

import dev.weir.engine.config.LimitRule;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * A value for each value of an attribute, or one value for all.
 *
 * @param rows by name; each has the location of its name, or of the value if it is the only one
 * @param named whether the rows were written with names
 */
record NamedRows<T>(Map<String, Located<T>> rows, boolean named) {
    /** Reads a single value, or a mapping from rows to such values. */
    static <T> ValueType<NamedRows<T>> of(ValueType<T> item) {
        ValueType<Map<String, Located<T>>> map = ValueTypes.map(ValueTypes.TEXT, item);
        return new ValueType<>(ValueTypes.anyOf(item.schema(), map.schema()), (node, what, faults) -> {
            if (node instanceof Yaml.Entries) {
                Map<String, Located<T>> rows = map.read(node, what, faults);
                return rows == null ? null : new NamedRows<>(rows, true);
            }
            T only = item.read(node, what, faults);
            return only == null
                    ? null
                    : new NamedRows<>(Map.of(LimitRule.DEFAULT_ROW, new Located<>(node.location(), only)), false);
        });
    }

    <R> Map<String, R> plain(Function<T, R> to) {
        Map<String, R> plain = new LinkedHashMap<>();
        rows.forEach((name, row) -> plain.put(name, to.apply(row.value())));
        return plain;
    }
}
