package dev.weir.spring.method;

import dev.weir.Policy;
import dev.weir.engine.config.LimitRule;
import dev.weir.spring.RateLimitCostException;
import dev.weir.spring.RateLimited;
import dev.weir.spring.SetupException;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/** One annotation of a method, with parsed expressions. Immutable. */
final class MethodLimit {
    private static final SpelExpressionParser PARSER = new SpelExpressionParser();

    private final String limit;
    private final @Nullable Expression key;
    private final @Nullable Expression cost;
    private final @Nullable Expression chargeIf;
    private final String fallback;
    private final String where;

    MethodLimit(RateLimited annotation, Method method) {
        this.limit = annotation.value();
        this.where = "@RateLimited(\"" + limit + "\") of "
                + method.getDeclaringClass().getSimpleName() + "." + method.getName();
        this.key = parse("key", annotation.key());
        this.cost = parse("cost", annotation.cost());
        this.chargeIf = parse("chargeIf", annotation.chargeIf());
        this.fallback = annotation.fallbackMethod();
    }

    String limit() {
        return limit;
    }

    /** The annotation, for messages. */
    String where() {
        return where;
    }

    /** Returns the attributes of the key; empty if the annotation has none. */
    Map<String, String> key(LimitRule rule, EvaluationContext context) {
        return key == null
                ? Map.of()
                : KeyValues.of(evaluate("key", key, context), rule, "the key of " + where + ", " + shown(key) + ",");
    }

    /** Returns the cost; null if the annotation has none. */
    @Nullable
    Long cost(EvaluationContext context) {
        return cost == null ? null : whole(evaluate("cost", cost, context), cost);
    }

    /** The name of the fallback method; empty if there is none. */
    String fallback() {
        return fallback;
    }

    /** Whether the result decides about the charge. */
    boolean chargesByResult() {
        return chargeIf != null;
    }

    /** Whether a call that has ended stays charged. */
    boolean isCharged(EvaluationContext context) {
        if (chargeIf == null) {
            return true;
        }
        if (evaluate("chargeIf", chargeIf, context) instanceof Boolean charged) {
            return charged;
        }
        throw new IllegalStateException(
                "the chargeIf of " + where + ", " + shown(chargeIf) + ", is neither true nor false");
    }

    private Long whole(@Nullable Object value, Expression expression) {
        try {
            if (value instanceof Number number) {
                long cost = new BigDecimal(number.toString()).longValueExact();
                if (cost >= 1 && cost <= Policy.MAX_COUNT) {
                    return cost;
                }
            }
        } catch (ArithmeticException | NumberFormatException e) {
            // Not an integer, or out of range: handled below.
        }
        throw new RateLimitCostException("the cost of " + where + ", " + shown(expression) + ", is "
                + (value instanceof Number || value == null
                        ? value
                        : "a " + value.getClass().getSimpleName())
                + "; it must be a whole number from 1 to " + Policy.MAX_COUNT);
    }

    private @Nullable Object evaluate(String what, Expression expression, EvaluationContext context) {
        try {
            return expression.getValue(context);
        } catch (EvaluationException e) {
            throw new IllegalStateException(
                    "the " + what + " of " + where + ", " + shown(expression) + ", could not be evaluated: "
                            + e.getMessage(),
                    e);
        }
    }

    private @Nullable Expression parse(String what, String text) {
        if (text.isBlank()) {
            return null;
        }
        try {
            return PARSER.parseExpression(text);
        } catch (ParseException e) {
            throw new SetupException(
                    "The " + what + " of " + where + " is not an expression: " + e.getMessage(),
                    "Write it in SpEL, such as #user for the method's parameter of this name.");
        }
    }

    private static String shown(Expression expression) {
        return "'" + expression.getExpressionString() + "'";
    }
}
