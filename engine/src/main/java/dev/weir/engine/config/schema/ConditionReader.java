package dev.weir.engine.config.schema;

import static dev.weir.engine.config.schema.ValueTypes.ordered;

import dev.weir.engine.config.Condition;
import java.util.ArrayList;
import java.util.List;

/** Reads conditions: a pattern, null for absent, or a list of those. */
final class ConditionReader {
    static final ValueType<Condition> VALUE = new ValueType<>(
            ValueTypes.anyOf(
                    ordered("type", "null"),
                    ValueTypes.TEXT.schema(),
                    ordered(
                            "type",
                            "array",
                            "minItems",
                            1,
                            "items",
                            ValueTypes.anyOf(ordered("type", "null"), ValueTypes.TEXT.schema()))),
            ConditionReader::read);

    private ConditionReader() {}

    private static Condition read(Yaml node, String what, Faults faults) {
        List<Yaml> alternatives = node instanceof Yaml.Items items ? items.items() : List.of(node);
        if (alternatives.isEmpty()) {
            faults.add(
                    node.location(),
                    what + " is an empty list, which nothing matches; give it a value, or null for absent");
        }
        List<String> patterns = new ArrayList<>();
        boolean orAbsent = false;
        for (Yaml alternative : alternatives) {
            if (alternative instanceof Yaml.Scalar scalar && scalar.isNull()) {
                orAbsent = true;
            } else {
                String pattern = ValueTypes.TEXT.read(alternative, what, faults);
                if (pattern != null) {
                    patterns.add(pattern);
                }
            }
        }
        return new Condition(patterns, orAbsent);
    }
}
