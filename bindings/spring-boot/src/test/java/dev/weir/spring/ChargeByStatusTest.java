package dev.weir.spring;

import static dev.weir.spring.App.count;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.LimitResult;
import dev.weir.engine.Weir;
import java.net.http.HttpResponse;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.userdetails.MapReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** Only requests with some statuses are charged, such as failed logins, on servlets and WebFlux. */
@Tag("io")
class ChargeByStatusTest {
    private static final String[] LIMITS = {
        "weir.limits[0].name=requests",
        "weir.limits[0].per=ip",
        "weir.limits[0].rate=100/hour",
        "weir.limits[1].name=failed-logins",
        "weir.limits[1].per=ip",
        "weir.limits[1].rate=3/hour",
        "weir.limits[1].charge=on-status 401",
        "weir.limits[2].name=failures",
        "weir.limits[2].per=user",
        "weir.limits[2].rate=2/hour",
        "weir.limits[2].match.path=/status/**",
        "weir.limits[2].charge.on-status=5xx",
    };
    private static final UserDetails ANN =
            User.withUsername("ann").password("{noop}secret").roles("USER").build();

    @RestController
    static class Pages {
        @GetMapping("/private")
        String page() {
            return "hello";
        }

        @GetMapping("/status/{code}")
        ResponseEntity<String> status(@PathVariable("code") int code) {
            return ResponseEntity.status(code).body("status");
        }

        @GetMapping("/status/thrown")
        String thrown() {
            throw new ResponseStatusException(HttpStatus.BAD_GATEWAY);
        }

        @GetMapping("/status/failure")
        String failure() {
            throw new IllegalStateException("on purpose");
        }
    }

    @RestController
    static class AsyncPages {
        @GetMapping("/status/async")
        Callable<ResponseEntity<String>> async() {
            return () -> ResponseEntity.status(503).body("later");
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
        AsyncPages asyncPages() {
            return new AsyncPages();
        }

        @Bean
        SecurityFilterChain security(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(all -> all.anyRequest().authenticated())
                    .httpBasic(Customizer.withDefaults())
                    .build();
        }

        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(ANN);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Elsewhere extends ServletApplication {
        @Bean
        Weir weir() {
            return Fixtures.elsewhere("  - { name: failed-logins, per: [ip], rate: 3/hour, charge: on-status 401 }\n");
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
            return http.authorizeExchange(all -> all.anyExchange().authenticated())
                    .httpBasic(Customizer.withDefaults())
                    .build();
        }

        @Bean
        MapReactiveUserDetailsService users() {
            return new MapReactiveUserDetailsService(ANN);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ReactiveElsewhere extends ReactiveApplication {
        @Bean
        Weir weir() {
            return Fixtures.elsewhere("  - { name: failed-logins, per: [ip], rate: 3/hour, charge: on-status 401 }\n");
        }
    }

    @Test
    void onlyTheStatusesOfALimit_count_onServlets() throws Exception {
        try (App app = App.servlet(ServletApplication.class, LIMITS)) {
            countsFailures(app);
            app.get("/status/async", login("secret"));
            assertThat(left(app, "failures")).isZero();
            countsFailedLogins(app, 100 - 11);
        }
    }

    @Test
    void onlyTheStatusesOfALimit_count_onWebFlux() throws Exception {
        try (App app = App.reactive(ReactiveApplication.class, LIMITS)) {
            countsFailures(app);
            app.get("/status/503", login("secret"));
            assertThat(left(app, "failures")).isZero();
            countsFailedLogins(app, 100 - 11);
        }
    }

    private static void countsFailures(App app) throws Exception {
        for (int i = 0; i < 6; i++) {
            assertThat(app.get("/status/200", login("secret")).statusCode()).isEqualTo(200);
        }
        assertThat(app.get("/status/404", login("secret")).statusCode()).isEqualTo(404);
        assertThat(left(app, "failures")).isEqualTo(2);
        assertThat(app.get("/status/thrown", login("secret")).statusCode()).isEqualTo(502);
        assertThat(left(app, "failures")).isEqualTo(1);
    }

    private static void countsFailedLogins(App app, long requestsLeft) throws Exception {
        assertThat(left(app, "failed-logins")).isEqualTo(3);
        assertThat(app.get("/private", login("wrong")).statusCode()).isEqualTo(401);
        assertThat(app.get("/private", login("wrong")).statusCode()).isEqualTo(401);
        // Each request holds the last remaining unit, and gives it back before its response is sent.
        assertThat(app.get("/private", login("secret")).statusCode()).isEqualTo(200);
        assertThat(left(app, "requests")).isEqualTo(requestsLeft - 1);
        assertThat(app.get("/private", login("wrong")).statusCode()).isEqualTo(401);
        assertThat(app.get("/private", login("secret")).statusCode()).isEqualTo(429);
        assertThat(app.get("/private", login("wrong")).statusCode()).isEqualTo(429);
    }

    @Test
    void headers_tellWhatIsLeftOnceTheChargeWasGivenBack() throws Exception {
        try (App app = App.servlet(ServletApplication.class, LIMITS)) {
            headersTellTheTruth(app);
        }
        try (App app = App.reactive(ReactiveApplication.class, LIMITS)) {
            headersTellTheTruth(app);
        }
    }

    private static void headersTellTheTruth(App app) throws Exception {
        assertThat(state(app.get("/private", login("secret"))))
                .startsWith("\"requests\";r=99;")
                .contains(", \"failed-logins\";r=3;t=0");
        assertThat(state(app.get("/status/404", login("secret")))).contains("\"failures\";r=2;t=0");
        assertThat(state(app.get("/status/thrown", login("secret"))))
                .contains("\"failures\";r=1;", "\"failed-logins\";r=3;");
        assertThat(state(app.get("/private", login("wrong")))).contains("\"failed-logins\";r=2;");
        HttpResponse<String> last = app.get("/private", login("secret"));
        assertThat(state(last)).contains("\"failed-logins\";r=2;");
        assertThat(last.headers().firstValue("X-RateLimit-Remaining")).contains("2");
    }

    private static String state(HttpResponse<String> response) {
        return response.headers().firstValue("RateLimit").orElseThrow();
    }

    @Test
    void failedLoginsAtTheSameTime_neverExceedTheLimit() {
        try (App app = App.servlet(Elsewhere.class)) {
            List<Integer> statuses = app.together(30, "/private", login("wrong"));
            assertThat(count(statuses, 401)).isEqualTo(3);
            assertThat(count(statuses, 429)).isEqualTo(27);
        }
        try (App app = App.reactive(ReactiveElsewhere.class)) {
            List<Integer> statuses = app.together(30, "/private", login("wrong"));
            assertThat(count(statuses, 401)).isEqualTo(3);
            assertThat(count(statuses, 429)).isEqualTo(27);
        }
    }

    private static long left(App app, String limit) {
        return app.bean(Weir.class).status(Map.of("ip", "127.0.0.1", "user", "ann", "path", "/status/x")).stream()
                .filter(result -> result.name().equals(limit))
                .mapToLong(LimitResult::remaining)
                .sum();
    }

    private static String[] login(String password) {
        return new String[] {
            "Authorization", "Basic " + Base64.getEncoder().encodeToString(("ann:" + password).getBytes())
        };
    }
}
