package dev.weir.spring.method;

import dev.weir.engine.Request;
import dev.weir.engine.config.Configuration;
import dev.weir.engine.config.LimitRule;
import dev.weir.spring.RateLimited;
import dev.weir.spring.SetupException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.expression.EvaluationContext;

/** All annotations of a method, which are asked together. Immutable. */
final class MethodLimits {
    private final List<MethodLimit> limits;
    private final Set<String> names;

    private MethodLimits(List<MethodLimit> limits) {
        this.limits = limits;
        this.names = limits.stream().map(MethodLimit::limit).collect(Collectors.toUnmodifiableSet());
    }

    /** Whether a method, or the one that it implements, is limited. */
    static boolean isLimited(Method method) {
        return AnnotatedElementUtils.hasAnnotation(method, RateLimited.class)
                || AnnotatedElementUtils.hasAnnotation(method, RateLimited.List.class);
    }

    static MethodLimits of(Method method) {
        return new MethodLimits(
                AnnotatedElementUtils.findMergedRepeatableAnnotations(method, RateLimited.class).stream()
                        .map(annotation -> new MethodLimit(annotation, method))
                        .toList());
    }

    /** The limits' names. */
    Set<String> names() {
        return names;
    }

    /** @throws SetupException if there is no such limit, or nobody would see a call: a limit that holds nothing */
    void check(Method method, Configuration configuration) {
        limits.forEach(limit -> rule(limit, configuration));
        int modifiers = method.getModifiers();
        if (Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers) || Modifier.isFinal(modifiers)) {
            throw new SetupException(
                    limits.get(0).where()
                            + " is on a method that is private, static or final, so that no proxy sees its" + " calls.",
                    "Let it be none of these.");
        }
    }

    /**
     * What is asked when the method is called: by what the web request knows, if there is one, and what the annotations
     * say.
     *
     * @throws IllegalStateException if somebody's key is none
     */
    Request request(Configuration configuration, Map<String, String> known, EvaluationContext context) {
        Map<String, String> attributes = new HashMap<>(known);
        attributes.put("channel", "call");
        Map<String, String> given = new HashMap<>();
        Map<String, Long> costs = new LinkedHashMap<>();
        for (MethodLimit limit : limits) {
            limit.key(rule(limit, configuration), context).forEach((name, value) -> {
                String other = given.put(name, value);
                if (other != null && !other.equals(value)) {
                    throw new IllegalStateException("the key of " + limit.where() + " says another '" + name
                            + "' than an annotation before it; let their limits be per different attributes");
                }
            });
            Long cost = limit.cost(context);
            if (cost != null) {
                costs.put(limit.limit(), cost);
            }
        }
        attributes.putAll(given);
        return new Request(attributes, 1, costs);
    }

    private static LimitRule rule(MethodLimit limit, Configuration configuration) {
        LimitRule rule = configuration.limit(limit.limit());
        if (rule == null) {
            throw new SetupException(
                    limit.where() + " names a limit that there is not.",
                    "Name one of the configuration, or add it there. There is "
                            + configuration.limits().stream()
                                    .map(LimitRule::name)
                                    .collect(Collectors.joining(", "))
                            + ".");
        }
        return rule;
    }
}
