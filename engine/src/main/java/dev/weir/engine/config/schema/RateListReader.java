package dev.weir.engine.config.schema;

import static dev.weir.engine.config.schema.ValueTypes.ordered;

import dev.weir.Policy;
import dev.weir.engine.config.Rate;
import dev.weir.engine.config.Rates;
import java.util.List;

/** Reads one rate or several, all of which must hold. */
final class RateListReader {
    private static final ValueType<Rate> RATE = ValueTypes.scalar(
            ValueTypes.anyOf(
                    ordered("type", "string", "pattern", "^(" + Rates.REGEX + "|" + Numbers.REGEX + ")$"),
                    ordered("type", "integer", "minimum", 0, "maximum", Policy.MAX_COUNT)),
            Rates::parse);

    private static final ValueType<List<Located<Rate>>> ONE_OR_MORE = ValueTypes.listOrOne(RATE);

    static final ValueType<List<Located<Rate>>> VALUE = new ValueType<>(ONE_OR_MORE.schema(), (node, what, faults) -> {
        if (node instanceof Yaml.Items items && items.items().isEmpty()) {
            faults.add(node.location(), what + " is an empty list; it needs at least one rate such as 60/min");
            return null;
        }
        return ONE_OR_MORE.read(node, what, faults);
    });

    private RateListReader() {}
}
