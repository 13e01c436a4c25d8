package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.fixture.ClassPath;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;

/** A reactive application runs without the servlet binding. */
@Tag("io")
class ReactiveAloneTest {

    /** Runs in a class loader that lacks the servlet binding. */
    public static final class Program {
        private Program() {}

        public static List<Integer> statuses() throws Exception {
            List<Integer> statuses = new ArrayList<>();
            try (App app = App.reactive(
                    Application.class,
                    "weir.limits[0].name=address",
                    "weir.limits[0].per=ip",
                    "weir.limits[0].rate=2/hour")) {
                for (int i = 0; i < 3; i++) {
                    statuses.add(app.get("/hello").statusCode());
                }
            }
            return statuses;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        @Bean
        SecurityWebFilterChain security(ServerHttpSecurity http) {
            return http.authorizeExchange(exchanges -> exchanges.anyExchange().permitAll())
                    .build();
        }

        @Bean
        RouterFunction<ServerResponse> hello() {
            return RouterFunctions.route()
                    .GET("/hello", request -> ServerResponse.ok().bodyValue("hello"))
                    .build();
        }
    }

    @Test
    void reactiveApplication_withoutTheServletBinding_isLimited() throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        // On Netty: a second Tomcat in one JVM, from another class loader, does not start.
        try (URLClassLoader classes =
                ClassPath.without("weir-servlet|bindings/servlet/|tomcat-embed").load()) {
            thread.setContextClassLoader(classes);
            assertThatThrownBy(() -> classes.loadClass("dev.weir.binding.servlet.WeirFilter"))
                    .isInstanceOf(ClassNotFoundException.class);

            assertThat(classes.loadClass(Program.class.getName())
                            .getMethod("statuses")
                            .invoke(null))
                    .isEqualTo(List.of(200, 200, 429));
        } finally {
            thread.setContextClassLoader(before);
        }
    }
}
