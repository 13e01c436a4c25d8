package dev.weir.spring.method;

import dev.weir.engine.Request;
import dev.weir.engine.config.Configuration;
import dev.weir.engine.config.LimitRule;
import dev.weir.spring.RateLimited;
import dev.weir.spring.SetupException;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.expression.EvaluationContext;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** All annotations of a method, which make one decision. Immutable. */
final class MethodLimits {
    private static final String CONTINUATION = "kotlin.coroutines.Continuation";

    private final List<MethodLimit> limits;
    private final Set<String> names;
    private final @Nullable Fallback fallback;

    private MethodLimits(List<MethodLimit> limits, @Nullable Fallback fallback) {
        this.limits = limits;
        this.names = limits.stream().map(MethodLimit::limit).collect(Collectors.toUnmodifiableSet());
        this.fallback = fallback;
    }

    /** Whether a method of a class is limited: by itself, by the method that it implements, or by its class. */
    static boolean isLimited(Method method, Class<?> type) {
        return isAnnotated(method) || (isOfClass(method) && isAnnotated(ClassUtils.getUserClass(type)));
    }

    /** Whether every public method of a class is limited. */
    static boolean isAnnotated(AnnotatedElement element) {
        return AnnotatedElementUtils.hasAnnotation(element, RateLimited.class)
                || AnnotatedElementUtils.hasAnnotation(element, RateLimited.List.class);
    }

    /** @throws SetupException if an expression cannot be parsed, or a fallback does not exist */
    static MethodLimits of(Method method, Class<?> type) {
        Class<?> user = ClassUtils.getUserClass(type);
        List<MethodLimit> limits =
                AnnotatedElementUtils.findMergedRepeatableAnnotations(
                                isAnnotated(method) ? method : user, RateLimited.class)
                        .stream()
                        .map(annotation -> new MethodLimit(annotation, method))
                        .toList();
        Map<String, MethodLimit> fallbacks = new LinkedHashMap<>();
        limits.stream()
                .filter(limit -> !limit.fallback().isBlank())
                .forEach(limit -> fallbacks.putIfAbsent(limit.fallback(), limit));
        if (fallbacks.size() > 1) {
            throw new SetupException(
                    limits.get(0).where()
                            + " and other annotations on the same method name different fallback methods.",
                    "Name one.");
        }
        return new MethodLimits(
                limits,
                fallbacks.values().stream()
                        .map(limit -> Fallback.of(limit.fallback(), method, user, limit.where()))
                        .findFirst()
                        .orElse(null));
    }

    /** Whether the limits of the class apply to this method. Methods of {@code Object} are not limited. */
    private static boolean isOfClass(Method method) {
        return Modifier.isPublic(method.getModifiers())
                && !Modifier.isStatic(method.getModifiers())
                && !method.isSynthetic()
                && !ReflectionUtils.isObjectMethod(method);
    }

    /** The names of the limits. */
    Set<String> names() {
        return names;
    }

    /**
     * @throws SetupException if a limit does not exist, or the proxy cannot intercept the method and the limit has no
     *     effect
     */
    void check(Method method, Configuration configuration) {
        limits.forEach(limit -> rule(limit, configuration));
        int modifiers = method.getModifiers();
        if (Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers) || Modifier.isFinal(modifiers)) {
            throw new SetupException(
                    limits.get(0).where()
                            + " is on a method that is private, static or final, so a proxy cannot intercept its calls.",
                    "Remove these modifiers.");
        }
        int last = method.getParameterCount() - 1;
        if (last >= 0 && method.getParameterTypes()[last].getName().equals(CONTINUATION)) {
            throw new SetupException(
                    limits.get(0).where()
                            + " is on a suspend function: it would wait for the store where it must not, and its result is not seen.",
                    "Limit a function that returns a Mono or a Flux, such as by mono { … } of kotlinx-coroutines-reactor.");
        }
    }

    /** The fallback of a refused call; null if there is none. */
    @Nullable
    Fallback fallback() {
        return fallback;
    }

    /** Whether the result of a call decides about its charge. */
    boolean chargeByResult() {
        return limits.stream().anyMatch(MethodLimit::chargesByResult);
    }

    /** Returns the limits whose charge is given back after a call, each with the final cost zero. */
    Map<String, Long> uncharged(EvaluationContext context) {
        Map<String, Long> costs = new HashMap<>();
        limits.stream().filter(limit -> !limit.isCharged(context)).forEach(limit -> costs.put(limit.limit(), 0L));
        return costs;
    }

    /**
     * Returns the request to check, from the attributes of the web request, if there is one, and the annotations.
     *
     * @throws IllegalStateException if a key is not valid
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
                    throw new IllegalStateException("the key of " + limit.where() + " has another '" + name
                            + "' than a previous annotation; their limits must be per different attributes");
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
                    limit.where() + " names a limit that does not exist.",
                    "Name a limit of the configuration, or add it there. The limits are "
                            + configuration.limits().stream()
                                    .map(LimitRule::name)
                                    .collect(Collectors.joining(", "))
                            + ".");
        }
        return rule;
    }
}
