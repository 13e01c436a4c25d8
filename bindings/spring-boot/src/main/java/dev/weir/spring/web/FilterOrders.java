package dev.weir.spring.web;

import dev.weir.spring.WeirProperties;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * The orders of the filters. The first runs before Spring Security, if present, so that a flood of requests causes no
 * password checks. The second runs behind it, for the limits that need the user.
 *
 * @param second null if there is only one filter
 */
public record FilterOrders(int first, @Nullable Integer second) {
    private static final int ALONE = -110;
    private static final int SECURITY = -100;
    private static final int APART = 10;

    /** Returns the orders of the properties, with defaults that depend on the presence of Spring Security. */
    public static FilterOrders of(
            WeirProperties.Filter filter, Environment environment, @Nullable ClassLoader classes) {
        // The first of both filters cannot be loaded in an application with WebFlux only, which has no Servlet API.
        boolean isSecured =
                ClassUtils.isPresent("org.springframework.security.config.annotation.SecurityBuilder", classes)
                        && (ClassUtils.isPresent("org.springframework.security.web.FilterChainProxy", classes)
                                || ClassUtils.isPresent(
                                        "org.springframework.security.web.server.WebFilterChainProxy", classes));
        int security = environment.getProperty("spring.security.filter.order", Integer.class, SECURITY);
        Integer first = filter.order();
        Integer second = filter.afterAuthenticationOrder();
        return new FilterOrders(
                first != null ? first : isSecured ? security - APART : ALONE,
                second != null || !isSecured ? second : Integer.valueOf(security + APART));
    }
}
