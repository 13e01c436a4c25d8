package dev.weir.spring;

import static dev.weir.spring.App.header;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.weir.binding.servlet.Refusal;
import dev.weir.spring.reactive.ReactiveRefusal;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Responses to refused requests, on servlets and WebFlux, from the filter and from limited methods alike. */
@Tag("io")
class RefusalTest {
    private static final String[] LIMITS = {
        "weir.limits[0].name=visitors",
        "weir.limits[0].per=ip",
        "weir.limits[0].rate=2/hour",
        "weir.limits[0].match.channel=http",
        "weir.limits[0].match.path=/page",
        "weir.limits[1].name=calls",
        "weir.limits[1].rate=1/hour",
        "weir.limits[1].match.channel=call",
    };
    private static final String JSON = "{\"error\":\"slow_down\",\"limit\":\"{limit}\",\"wait\":{retry_after_secs}}";

    @RestController
    static class Pages {
        @GetMapping("/page")
        String page() {
            return "hello";
        }

        @RateLimited("calls")
        @GetMapping("/call")
        String call() {
            return "hello";
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class ServletApplication {
        @Bean
        Pages pages() {
            return new Pages();
        }

        @Bean
        SecurityFilterChain security(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(all -> all.anyRequest().permitAll())
                    .build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnRefusal extends ServletApplication {
        @Bean
        Refusal teapot() {
            return (request, response, outcome) -> {
                response.setStatus(418);
                response.getWriter().print("no more of " + outcome.decisive().name());
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class ReactiveApplication {
        @Bean
        Pages pages() {
            return new Pages();
        }

        @Bean
        SecurityWebFilterChain security(ServerHttpSecurity http) {
            return http.authorizeExchange(all -> all.anyExchange().permitAll()).build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnReactiveRefusal extends ReactiveApplication {
        @Bean
        ReactiveRefusal teapot() {
            return (exchange, outcome) -> {
                exchange.getResponse().setStatusCode(org.springframework.http.HttpStatus.I_AM_A_TEAPOT);
                byte[] body = ("no more of " + outcome.decisive().name()).getBytes(StandardCharsets.UTF_8);
                return ReactiveRefusal.send(exchange, "text/plain", body);
            };
        }
    }

    @Test
    void bodyByProperty_isSent_onServlets() throws Exception {
        try (App app = App.servlet(ServletApplication.class, with("weir.refusal.body=" + JSON))) {
            sendsTheBody(app);
        }
    }

    @Test
    void bodyByProperty_isSent_onWebFlux() throws Exception {
        try (App app = App.reactive(ReactiveApplication.class, with("weir.refusal.body=" + JSON))) {
            sendsTheBody(app);
        }
    }

    private static void sendsTheBody(App app) throws Exception {
        app.get("/page");
        app.get("/page");
        HttpResponse<String> refused = app.get("/page");
        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(header(refused, "Content-Type")).startsWith("application/json");
        assertThat(refused.body()).matches("\\{\"error\":\"slow_down\",\"limit\":\"visitors\",\"wait\":1[0-9]{3}}");
        assertThat(header(refused, "Retry-After")).isNotNull();
        assertThat(header(refused, "RateLimit")).contains("visitors");

        app.get("/call");
        HttpResponse<String> call = app.get("/call");
        assertThat(call.statusCode()).isEqualTo(429);
        assertThat(call.body()).contains("\"limit\":\"calls\"");
    }

    @Test
    void bodyOfText_hasPlainValues() throws Exception {
        try (App app = App.servlet(
                ServletApplication.class,
                with(
                        "weir.refusal.body={reason}: {message} ({remaining} of {capacity})",
                        "weir.refusal.content-type=text/plain;charset=UTF-8"))) {
            app.get("/call");
            HttpResponse<String> call = app.get("/call");
            assertThat(header(call, "Content-Type")).startsWith("text/plain");
            assertThat(call.body())
                    .startsWith("limited: Rate limit 'calls' exceeded")
                    .endsWith("(0 of 1)");
        }
    }

    @Test
    void bean_answersRefusals_onServlets() throws Exception {
        try (App app = App.servlet(OwnRefusal.class, LIMITS)) {
            answersByTheBean(app);
        }
    }

    @Test
    void bean_answersRefusals_onWebFlux() throws Exception {
        try (App app = App.reactive(OwnReactiveRefusal.class, LIMITS)) {
            answersByTheBean(app);
        }
    }

    private static void answersByTheBean(App app) throws Exception {
        app.get("/page");
        app.get("/page");
        HttpResponse<String> refused = app.get("/page");
        assertThat(refused.statusCode()).isEqualTo(418);
        assertThat(refused.body()).isEqualTo("no more of visitors");
        assertThat(header(refused, "Retry-After")).isNotNull();
        app.get("/call");
        assertThat(app.get("/call").body()).isEqualTo("no more of calls");
    }

    @Test
    void bodyWithAFault_isRefusedAtTheStart() {
        assertThat(fault("weir.refusal.body={\"wait\":{retry_after_sec}}"))
                .contains("{retry_after_sec}, which does not exist; did you mean {retry_after_secs}?");
        assertThat(fault("weir.refusal.body=Too many requests")).contains("is not JSON");
        assertThat(fault("weir.refusal.body={\"limit\":{limit}}")).contains("is not JSON");
        assertThat(fault("weir.refusal.content-type=text/plain")).contains("weir.refusal.body is not");
    }

    private static String fault(String property) {
        Throwable failure = catchThrowable(
                () -> App.servlet(ServletApplication.class, with(property)).close());
        return new SetupFailureAnalyzer().analyze(failure).getDescription();
    }

    private static String[] with(String... more) {
        String[] all = java.util.Arrays.copyOf(LIMITS, LIMITS.length + more.length);
        System.arraycopy(more, 0, all, LIMITS.length, more.length);
        return all;
    }
}
