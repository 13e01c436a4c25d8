package dev.weir.engine.config.schema;

import static dev.weir.engine.config.schema.ValueTypes.ordered;

import dev.weir.Policy;
import dev.weir.engine.config.CostRule;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads a limit's cost. */
final class CostRuleReader {
    private static final ValueType<Long> NUMBER = ValueTypes.number(1, Policy.MAX_COUNT);
    private static final ValueType<Map<String, Located<Long>>> ROWS = ValueTypes.map(ValueTypes.TEXT, NUMBER);
    private static final String NEED = "it must be a whole number from 1, an attribute's name, or rows";

    static final ValueType<Draft> VALUE = new ValueType<>(
            ValueTypes.anyOf(
                    NUMBER.schema(),
                    ordered("type", "string", "pattern", "^" + ConfigurationKeys.ATTRIBUTE + "$"),
                    ROWS.schema(),
                    ordered(
                            "type",
                            "object",
                            "minProperties",
                            1,
                            "maxProperties",
                            1,
                            "propertyNames",
                            ordered("pattern", "^" + ConfigurationKeys.ATTRIBUTE + "$"),
                            "additionalProperties",
                            ROWS.schema())),
            CostRuleReader::read);

    private CostRuleReader() {}

    /** A cost whose rows may still lack the attribute that chooses the row: the limit's {@code by}. */
    sealed interface Draft {
        /** A complete cost. */
        record CompleteCost(CostRule cost) implements Draft {}

        /** Rows; {@code by} is null if the limit's own is to be used. */
        record CostRows(SourceLocation location, @Nullable String by, Map<String, Located<Long>> rows)
                implements Draft {
            CostRule complete(String attribute) {
                Map<String, Long> plain = new LinkedHashMap<>();
                rows.forEach((name, row) -> plain.put(name, row.value()));
                return new CostRule.Rows(attribute, plain);
            }
        }
    }

    private static @Nullable Draft read(Yaml node, String what, Faults faults) {
        if (node instanceof Yaml.Entries mapping) {
            return table(mapping, what, faults);
        }
        if (node instanceof Yaml.Scalar scalar && !scalar.isNull()) {
            if (scalar.text().matches(ConfigurationKeys.ATTRIBUTE)) {
                return new Draft.CompleteCost(new CostRule.Attribute(scalar.text()));
            }
            if (scalar.text().matches(Numbers.REGEX)) {
                Long number = NUMBER.read(node, what, faults);
                return number == null ? null : new Draft.CompleteCost(new CostRule.Fixed(number));
            }
        }
        if (!(node instanceof Yaml.Broken)) {
            faults.add(node.location(), what + " is " + Yaml.describe(node) + "; " + NEED);
        }
        return null;
    }

    private static @Nullable Draft table(Yaml.Entries mapping, String what, Faults faults) {
        if (mapping.entries().size() == 1 && mapping.entries().get(0).value() instanceof Yaml.Entries rows) {
            Yaml.Entry only = mapping.entries().get(0);
            if (!only.key().matches(ConfigurationKeys.ATTRIBUTE)) {
                faults.add(
                        only.location(), Faults.quote(only.key()) + " in " + what + " is not the name of an attribute");
                return null;
            }
            Map<String, Located<Long>> read = ROWS.read(rows, what, faults);
            return read == null ? null : new Draft.CostRows(only.location(), only.key(), read);
        }
        Map<String, Located<Long>> read = ROWS.read(mapping, what, faults);
        return read == null ? null : new Draft.CostRows(mapping.location(), null, read);
    }
}
