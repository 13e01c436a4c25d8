package dev.weir.engine.plan;

import dev.weir.ArgumentException;
import dev.weir.Policy;
import dev.weir.engine.Request;
import dev.weir.engine.config.CostRule;
import dev.weir.engine.config.LimitRule;
import dev.weir.engine.path.ClientText;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The cost of a request under one limit. Immutable. */
public final class CostFunction {
    /** The cost when the limit does not apply, because the request does not carry its cost. */
    static final long NONE = 0;

    private static final int MOST_DIGITS = 16;

    private final String limit;
    private final CostRule rule;
    private final int attribute;

    CostFunction(LimitRule limit, AttributeIndex index, AttributeValues known) {
        this.limit = limit.name();
        this.rule = limit.cost() instanceof CostRule.Rows rows ? inForm(rows, known) : limit.cost();
        if (rule instanceof CostRule.Attribute named) {
            this.attribute = index.of(named.name());
        } else {
            this.attribute = rule instanceof CostRule.Rows rows ? index.of(rows.by()) : -1;
        }
    }

    private static CostRule.Rows inForm(CostRule.Rows rows, AttributeValues known) {
        Map<String, Long> inForm = new LinkedHashMap<>();
        rows.rows()
                .forEach((name, cost) ->
                        inForm.put(name.equals(LimitRule.DEFAULT_ROW) ? name : known.of(rows.by(), name), cost));
        return new CostRule.Rows(rows.by(), inForm);
    }

    /**
     * The cost, or {@link #NONE}.
     *
     * @throws IllegalArgumentException if the value of the cost attribute is not a cost
     */
    long of(@Nullable String[] values, Request request) {
        Long named = request.costs().isEmpty() ? null : request.costs().get(limit);
        if (named != null) {
            return named;
        }
        if (rule instanceof CostRule.Requested) {
            return request.cost();
        }
        if (rule instanceof CostRule.Fixed fixed) {
            return fixed.cost();
        }
        String value = values[attribute];
        if (rule instanceof CostRule.Attribute given) {
            return value == null ? NONE : parse(given.name(), value);
        }
        CostRule.Rows rows = (CostRule.Rows) rule;
        Long row = value == null ? null : rows.rows().get(value);
        return row != null ? row : rows.rows().getOrDefault(LimitRule.DEFAULT_ROW, 1L);
    }

    /** Whether the request carries its cost, as with a budget of tokens. */
    public boolean isBudget() {
        return rule instanceof CostRule.Attribute;
    }

    /** Accepts ASCII digits only: {@link Long#parseLong} also accepts signs and digits of other scripts. */
    private static long parse(String attribute, String text) {
        long cost = NONE;
        for (int i = 0; i < text.length() && text.length() <= MOST_DIGITS; i++) {
            char digit = text.charAt(i);
            if (digit < '0' || digit > '9') {
                cost = NONE;
                break;
            }
            cost = cost * 10 + (digit - '0');
        }
        if (cost == NONE || cost > Policy.MAX_COUNT) {
            throw new ArgumentException(
                    "attributes." + attribute,
                    "attribute '" + attribute + "' is '" + ClientText.shown(text, 32)
                            + "'; as a cost it must be a whole number from 1 to " + Policy.MAX_COUNT);
        }
        return cost;
    }
}
