package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.spring.web.FilterOrders;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.security.config.annotation.SecurityBuilder;
import org.springframework.security.core.Authentication;
import org.springframework.security.web.server.WebFilterChainProxy;
import org.springframework.web.server.WebFilter;
import reactor.core.publisher.Mono;

/** The default orders of the filters, whatever else is on the class path. */
class FilterOrdersTest {
    private static final WeirProperties.Filter DEFAULTS =
            new WeirProperties.Filter(true, null, null, List.of("/**"), List.of());

    @Test
    void springSecurity_withoutTheServletApi_hasASecondFilterBehindIt() throws IOException {
        try (URLClassLoader webFluxOnly = jarsOf(
                SecurityBuilder.class,
                WebFilterChainProxy.class,
                Authentication.class,
                WebFilter.class,
                ApplicationContext.class,
                BeanFactory.class,
                Ordered.class,
                Mono.class,
                Publisher.class)) {
            assertThat(FilterOrders.of(DEFAULTS, new StandardEnvironment(), webFluxOnly))
                    .isEqualTo(new FilterOrders(-110, -90));
        }
    }

    @Test
    void withoutSpringSecurity_thereIsOneFilter() throws IOException {
        try (URLClassLoader unsecured = jarsOf(WebFilter.class, Mono.class, Publisher.class)) {
            assertThat(FilterOrders.of(DEFAULTS, new StandardEnvironment(), unsecured))
                    .isEqualTo(new FilterOrders(-110, null));
        }
    }

    /** Returns a class loader with the jars of these classes only. */
    private static URLClassLoader jarsOf(Class<?>... classes) {
        URL[] jars = Stream.of(classes)
                .map(each -> each.getProtectionDomain().getCodeSource().getLocation())
                .distinct()
                .toArray(URL[]::new);
        return new URLClassLoader(jars, ClassLoader.getPlatformClassLoader());
    }
}
