package dev.weir.engine.config;

import java.util.Map;

/** What a request costs under one limit, where the request does not name the limit in its own costs. */
public sealed interface CostRule {
    /**
     * The request's own cost, 1 unless it says otherwise: the limit sets none.
     */
    record Requested() implements CostRule {}

    /**
     * The same for every request.
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
     * Chosen by the value of an attribute.
     *
     * @param by the attribute
     * @param rows the cost for each value, at least 1; {@link LimitRule#DEFAULT_ROW} is always there
     */
    record Rows(String by, Map<String, Long> rows) implements CostRule {
        public Rows {
            rows = Copies.ordered(rows);
        }
    }
}
