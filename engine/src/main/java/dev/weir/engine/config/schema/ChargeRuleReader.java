package dev.weir.engine.config.schema;

import static dev.weir.engine.config.schema.ValueTypes.ordered;

import dev.weir.engine.config.ChargeRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads a limit's {@code charge}: {@code on-status 401, 403}, or <code>{ on-status: [401, 5xx] }</code>. */
final class ChargeRuleReader {
    private static final String KEY = "on-status";
    private static final String STATUS = "([1-5][0-9]{2}|[1-5]xx)";
    private static final String STATUSES = STATUS + "([, ]+" + STATUS + ")*";
    private static final String SHORT = KEY + " +" + STATUSES;
    private static final String NEED =
            "it must be 'on-status' and statuses from 100 to 599 or classes such as 4xx, as in"
                    + " 'on-status 401' or { on-status: [401, 5xx] }";

    private static final ValueType<List<Located<String>>> LIST = ValueTypes.listOrOne(ValueTypes.scalar(
            ValueTypes.anyOf(
                    ordered("type", "integer", "minimum", 100, "maximum", 599),
                    ordered("type", "string", "pattern", "^" + STATUSES + "$")),
            text -> {
                if (!text.matches(STATUSES)) {
                    throw new IllegalArgumentException("it must be a status from 100 to 599, or a class such as 4xx");
                }
                return text;
            }));

    static final ValueType<ChargeRule> VALUE = new ValueType<>(
            ValueTypes.anyOf(
                    ordered("type", "string", "pattern", "^" + SHORT + "$"),
                    ordered(
                            "type",
                            "object",
                            "required",
                            List.of(KEY),
                            "properties",
                            Map.of(KEY, LIST.schema()),
                            "additionalProperties",
                            false),
                    ValueTypes.PLACEHOLDER),
            ChargeRuleReader::read);

    private ChargeRuleReader() {}

    private static @Nullable ChargeRule read(Yaml node, String what, Faults faults) {
        if (node instanceof Yaml.Scalar scalar && scalar.text().matches(SHORT)) {
            return rule(List.of(scalar.text().substring(KEY.length()).trim()));
        }
        if (node instanceof Yaml.Entries mapping
                && mapping.entries().size() == 1
                && mapping.entries().get(0).key().equals(KEY)) {
            List<Located<String>> read = LIST.read(mapping.entries().get(0).value(), KEY, faults);
            if (read != null && !read.isEmpty()) {
                return rule(read.stream().map(Located::value).toList());
            }
            // The faults of a single item are already reported.
            if (read != null
                    && mapping.entries().get(0).value() instanceof Yaml.Items items
                    && !items.items().isEmpty()) {
                return null;
            }
        }
        if (!(node instanceof Yaml.Broken)) {
            faults.add(node.location(), what + " is " + Yaml.describe(node) + "; " + NEED);
        }
        return null;
    }

    private static ChargeRule rule(List<String> texts) {
        List<String> statuses = new ArrayList<>();
        texts.forEach(text -> statuses.addAll(List.of(text.split("[, ]+"))));
        return new ChargeRule(statuses);
    }
}
