package dev.weir.engine.config;

import java.util.Map;

/** The cost of a request under one limit, unless the request sets a cost for this limit. */
public sealed interface CostRule {
    /** The request's own cost, 1 by default: the limit sets none. */
    record Requested() implements CostRule {}

    /**
     * The same cost for every request.
     *
     * @param cost at least 1
     */
    record Fixed(long cost) implements CostRule {}

    /**
     * The value of an attribute; a request without it is not counted.
     *
     * @param name the attribute
     */
    record Attribute(String name) implements CostRule {}

    /**
     * A cost chosen by the value of an attribute.
     *
     * @param by the attribute
     * @param rows the cost for each value, at least 1; {@link LimitRule#DEFAULT_ROW} is always present
     */
    record Rows(String by, Map<String, Long> rows) implements CostRule {
        public Rows {
            rows = OrderedCopies.ordered(rows);
        }
    }
}
