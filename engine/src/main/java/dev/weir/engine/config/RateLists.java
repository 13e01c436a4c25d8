package dev.weir.engine.config;

import static dev.weir.engine.config.Values.ordered;

import dev.weir.Policy;
import java.util.List;

/** Reads one rate or several, all of which must hold. */
final class RateLists {
    private static final Value<Rate> RATE = Values.scalar(
            Values.anyOf(
                    ordered("type", "string", "pattern", "^(" + Rates.REGEX + "|" + Numbers.REGEX + ")$"),
                    ordered("type", "integer", "minimum", 0, "maximum", Policy.MAX_COUNT)),
            Rates::parse);

    private static final Value<List<Placed<Rate>>> ONE_OR_MORE = Values.listOrOne(RATE);

    static final Value<List<Placed<Rate>>> VALUE = new Value<>(ONE_OR_MORE.schema(), (node, what, faults) -> {
        if (node instanceof Yaml.Items items && items.items().isEmpty()) {
            faults.add(node.place(), what + " is an empty list; it needs at least one rate such as 60/min");
            return null;
        }
        return ONE_OR_MORE.read(node, what, faults);
    });

    private RateLists() {}
}
