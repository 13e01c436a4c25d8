package dev.weir.spring;

import static dev.weir.spring.App.count;
import static dev.weir.spring.App.header;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.Weir;
import java.net.http.HttpResponse;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** The filter in a servlet application, with Spring Security, on a real Tomcat. */
@Tag("io")
class ServletTest {
    private static final String[] BY_ADDRESS = {
        "weir.limits[0].name=address",
        "weir.limits[0].per=ip",
        "weir.limits[0].rate=20/hour",
        "weir.limits[0].algorithm=fixed-window"
    };

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        @Bean
        SecurityFilterChain security(HttpSecurity http) throws Exception {
            return http.csrf(csrf -> csrf.disable())
                    .authorizeHttpRequests(requests -> requests.requestMatchers("/private")
                            .authenticated()
                            .anyRequest()
                            .permitAll())
                    .httpBasic(Customizer.withDefaults())
                    .build();
        }

        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(
                    User.withUsername("ann")
                            .password("{noop}secret")
                            .roles("USER")
                            .build(),
                    User.withUsername("ben")
                            .password("{noop}secret")
                            .roles("USER")
                            .build());
        }

        @RestController
        static class Pages {
            @GetMapping({"/open", "/private"})
            String page() {
                return "hello";
            }

            @GetMapping("/fails")
            String fails() {
                throw new IllegalStateException("on purpose");
            }

            @PostMapping("/orders")
            String order() {
                return Long.toString(System.nanoTime());
            }
        }
    }

    @Test
    void parallelRequests_ofOneAddress_areAdmittedExactlyToTheLimit() {
        try (App app = App.servlet(Application.class, BY_ADDRESS)) {
            List<Integer> statuses = app.together(50, "/open");

            assertThat(count(statuses, 200)).isEqualTo(20);
            assertThat(count(statuses, 429)).isEqualTo(30);
        }
    }

    @Test
    void responses_whateverTheyAre_tellTheLimits() throws Exception {
        try (App app = App.servlet(Application.class, BY_ADDRESS)) {
            HttpResponse<String> open = app.get("/open", "Origin", "https://elsewhere.example");
            HttpResponse<String> missing = app.get("/nothing-here");
            HttpResponse<String> failed = app.get("/fails");
            HttpResponse<String> denied = app.get("/private");

            assertThat(header(open, "X-RateLimit-Limit")).isEqualTo("20");
            assertThat(header(open, "X-RateLimit-Remaining")).isEqualTo("19");
            assertThat(header(open, "RateLimit-Policy")).isEqualTo("\"address\";q=20;w=3600");
            assertThat(header(open, "Access-Control-Expose-Headers")).contains("X-RateLimit-Limit");
            assertThat(missing.statusCode()).isEqualTo(404);
            assertThat(header(missing, "X-RateLimit-Remaining")).isEqualTo("18");
            assertThat(failed.statusCode()).isEqualTo(500);
            assertThat(header(failed, "X-RateLimit-Remaining")).isEqualTo("17");
            assertThat(denied.statusCode()).isEqualTo(401);
            assertThat(header(denied, "X-RateLimit-Remaining")).isEqualTo("16");
        }
    }

    @Test
    void refusal_isAProblemDocument() throws Exception {
        try (App app = App.servlet(Application.class, BY_ADDRESS)) {
            app.together(20, "/open");

            HttpResponse<String> refused = app.get("/open");

            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(header(refused, "Content-Type")).isEqualTo("application/problem+json");
            assertThat(Long.parseLong(header(refused, "Retry-After"))).isBetween(1L, 3600L);
            assertThat(refused.body())
                    .contains(
                            "\"error\":\"rate_limited\"",
                            "\"limit\":\"address\"",
                            "\"scope\":\"ip\"",
                            "\"status\":429");
        }
    }

    @Test
    void preflights_andSkippedPaths_areNeverCharged() throws Exception {
        try (App app = App.servlet(Application.class, BY_ADDRESS)) {
            for (int i = 0; i < 30; i++) {
                app.send(
                        "OPTIONS",
                        "/open",
                        null,
                        "Origin",
                        "https://a.example",
                        "Access-Control-Request-Method",
                        "GET");
            }
            HttpResponse<String> health = app.get("/actuator/health");
            HttpResponse<String> trick = app.get("/actuator/health/..;/../../open");

            assertThat(health.statusCode()).isEqualTo(200);
            assertThat(header(health, "X-RateLimit-Limit")).isNull();
            assertThat(header(app.get("/open"), "X-RateLimit-Remaining")).isIn("19", "18");
            assertThat(trick.statusCode() == 200 && header(trick, "X-RateLimit-Limit") == null)
                    .isFalse();
        }
    }

    @Test
    void layers_beforeAndBehindAuthentication_actInTheirOrder() throws Exception {
        try (App app = App.servlet(
                Application.class,
                "weir.limits[0].name=address",
                "weir.limits[0].per=ip",
                "weir.limits[0].rate=10/hour",
                "weir.limits[1].name=member",
                "weir.limits[1].per=user",
                "weir.limits[1].rate=3/hour")) {
            String ann = basic("ann", "secret");
            for (int i = 0; i < 3; i++) {
                assertThat(app.get("/private", "Authorization", ann).statusCode())
                        .isEqualTo(200);
            }
            HttpResponse<String> beyond = app.get("/private", "Authorization", ann);
            assertThat(beyond.statusCode()).isEqualTo(429);
            assertThat(beyond.body()).contains("\"limit\":\"member\"");

            // The refusal charged nothing to the address: seven of ten are left, for any user.
            assertThat(header(app.get("/private", "Authorization", basic("ben", "secret")), "RateLimit"))
                    .contains("\"address\";r=6");
            // Password guesses are charged, and are refused before the password is checked.
            for (int i = 0; i < 6; i++) {
                assertThat(app.get("/private", "Authorization", basic("ben", "guess"))
                                .statusCode())
                        .isEqualTo(401);
            }
            HttpResponse<String> guess = app.get("/private", "Authorization", basic("ben", "guess"));
            assertThat(guess.statusCode()).isEqualTo(429);
            assertThat(guess.body()).contains("\"limit\":\"address\"");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class BrokenStore extends Application {
        @Bean
        Weir weir() {
            return Fixtures.broken("  - { name: secure, per: [ip], rate: 10/min }");
        }
    }

    @Test
    void storeThatDoesNotAnswer_refuses() throws Exception {
        try (App app = App.servlet(BrokenStore.class)) {
            HttpResponse<String> refused = app.get("/open");

            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(header(refused, "Retry-After")).isEqualTo("60");
            assertThat(refused.body()).contains("Rate limiter temporarily unavailable");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Elsewhere extends Application {
        @Bean
        Weir weir() {
            return Fixtures.elsewhere("  - { name: address, per: [ip], rate: 20/hour }\n"
                    + "  - { name: member, per: [user], rate: 5/hour }\n");
        }
    }

    @Test
    void storeElsewhere_holdsTheSame() {
        try (App app = App.servlet(Elsewhere.class)) {
            List<Integer> statuses = app.together(12, "/private", "Authorization", basic("ann", "secret"));
            assertThat(count(statuses, 200)).isEqualTo(5);
            assertThat(count(statuses, 429)).isEqualTo(7);

            statuses = app.together(30, "/open");
            assertThat(count(statuses, 200)).isEqualTo(15);
            assertThat(count(statuses, 429)).isEqualTo(15);
        }
    }

    @Test
    void idempotency_switchedOn_doesARequestOnce() throws Exception {
        try (App app = App.servlet(Application.class, with("weir.idempotency.enabled=true", BY_ADDRESS))) {
            HttpResponse<String> first = app.send("POST", "/orders", "{}", "Idempotency-Key", "k1");
            HttpResponse<String> again = app.send("POST", "/orders", "{}", "Idempotency-Key", "k1");

            assertThat(first.statusCode()).isEqualTo(200);
            assertThat(again.body()).isEqualTo(first.body());
            assertThat(header(again, "Idempotency-Replayed")).isEqualTo("true");
        }
    }

    @Test
    void switchedOff_letsEverythingPass() throws Exception {
        try (App app = App.servlet(Application.class, with("weir.enabled=false", BY_ADDRESS))) {
            assertThat(count(app.together(30, "/open"), 200)).isEqualTo(30);
            assertThat(header(app.get("/open"), "X-RateLimit-Limit")).isNull();
        }
    }

    private static String[] with(String property, String... others) {
        String[] all = java.util.Arrays.copyOf(others, others.length + 1);
        all[others.length] = property;
        return all;
    }

    private static String basic(String user, String password) {
        return "Basic " + Base64.getEncoder().encodeToString((user + ":" + password).getBytes());
    }
}
