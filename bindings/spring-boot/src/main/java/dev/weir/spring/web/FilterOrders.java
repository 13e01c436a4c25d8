package dev.weir.spring.web;

import dev.weir.spring.WeirProperties;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Where the filter stands: before Spring Security, if that is there, so that who floods the application does not make it
 * look up passwords; with a second one behind it, for the limits that need the user.
 *
 * @param second null if there is one filter only
 */
public record FilterOrders(int first, @Nullable Integer second) {
    private static final int ALONE = -110;
    private static final int SECURITY = -100;
    private static final int APART = 10;

    /** As the properties say, and else by whether Spring Security is there. */
    public static FilterOrders of(
            WeirProperties.Filter filter, Environment environment, @Nullable ClassLoader classes) {
        // The first of both filters cannot be loaded in an application on WebFlux alone, which has no Servlet API.
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
