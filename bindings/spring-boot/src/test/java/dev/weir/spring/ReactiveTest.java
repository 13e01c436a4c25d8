package dev.weir.spring;

import static dev.weir.spring.App.count;
import static dev.weir.spring.App.header;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.Weir;
import dev.weir.spring.reactive.ExchangeExtractor;
import dev.weir.spring.reactive.WeirWebFilterCustomizer;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.userdetails.MapReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The filter and limited methods in a reactive application, with Spring Security, on a real Netty. */
@Tag("io")
class ReactiveTest {
    private static final String[] LIMITS = {
        "weir.limits[0].name=address",
        "weir.limits[0].per=ip",
        "weir.limits[0].rate=20/hour",
        "weir.limits[0].match.channel=http",
        "weir.limits[1].name=member",
        "weir.limits[1].per=user",
        "weir.limits[1].rate=3/hour",
        "weir.limits[1].match.channel=http",
        "weir.limits[2].name=calls",
        "weir.limits[2].per=ip",
        "weir.limits[2].rate=5/hour",
        "weir.limits[2].match.channel=call",
        "weir.limits[3].name=both",
        "weir.limits[3].per=room",
        "weir.limits[3].rate=2/hour",
        "weir.limits[3].match.channel=call",
        "weir.limits[4].name=tokens",
        "weir.limits[4].per=room",
        "weir.limits[4].rate=100/hour",
        "weir.limits[4].cost=tokens",
    };

    /** The service that functional endpoints and controllers call. */
    static class Service {
        @RateLimited("calls")
        public Mono<String> call() {
            return Mono.just("called");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        @Bean
        SecurityWebFilterChain security(ServerHttpSecurity http) {
            return http.csrf(csrf -> csrf.disable())
                    .authorizeExchange(exchanges -> exchanges
                            .pathMatchers("/private")
                            .authenticated()
                            .anyExchange()
                            .permitAll())
                    .httpBasic(Customizer.withDefaults())
                    .build();
        }

        @Bean
        MapReactiveUserDetailsService users() {
            return new MapReactiveUserDetailsService(
                    User.withUsername("ann")
                            .password("{noop}secret")
                            .roles("USER")
                            .build(),
                    User.withUsername("ben")
                            .password("{noop}secret")
                            .roles("USER")
                            .build());
        }

        @Bean
        Service service() {
            return new Service();
        }

        @Bean
        RouterFunction<ServerResponse> functional(Service service) {
            return RouterFunctions.route()
                    .GET(
                            "/functional",
                            request -> service.call()
                                    .flatMap(text -> ServerResponse.ok().bodyValue(text)))
                    .build();
        }

        @Bean
        CatchAll catchAll() {
            return new CatchAll();
        }

        @RestController
        static class Pages {
            @GetMapping({"/open", "/private"})
            Mono<String> page() {
                return Mono.just("hello");
            }

            @GetMapping("/fails")
            Mono<String> fails() {
                return Mono.error(new OutOfMemoryError("on purpose"));
            }

            @RateLimited("calls")
            @GetMapping("/mono")
            Mono<String> mono() {
                return Mono.just("hello");
            }

            @RateLimited("calls")
            @GetMapping("/flux")
            Flux<String> flux() {
                return Flux.just("he", "llo");
            }

            @RateLimited(value = "both", key = "#room")
            @RateLimited(value = "tokens", key = "#room", cost = "#n")
            @GetMapping("/all")
            CompletableFuture<String> all(@RequestParam("room") String room, @RequestParam("n") int n) {
                return CompletableFuture.supplyAsync(() -> "done");
            }
        }
    }

    @ControllerAdvice
    static class CatchAll {
        @ExceptionHandler(Exception.class)
        @ResponseBody
        Mono<String> anything() {
            return Mono.just("caught");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Customized extends Application {
        @Bean
        WeirWebFilterCustomizer plans() {
            return filter -> filter.attribute(
                            "plan",
                            ExchangeExtractor.of(exchange ->
                                    exchange.getRequest().getQueryParams().getFirst("plan")))
                    .attribute(
                            "initial",
                            ExchangeExtractor.ofUser((exchange, user) ->
                                    user == null ? null : user.getName().substring(0, 1)))
                    .skipping(exchange -> exchange.getRequest().getHeaders().getFirst("X-Skip") != null);
        }
    }

    @Test
    void customizer_addsAttributes_andSkipsRequests() throws Exception {
        String[] limits = Arrays.copyOf(LIMITS, LIMITS.length + 6);
        String[] more = {
            "weir.limits[5].name=plans", "weir.limits[5].per=plan", "weir.limits[5].rate=1/hour",
            "weir.limits[6].name=initials", "weir.limits[6].per=initial", "weir.limits[6].rate=2/hour",
        };
        System.arraycopy(more, 0, limits, LIMITS.length, more.length);
        try (App app = App.reactive(Customized.class, limits)) {
            assertThat(app.get("/open?plan=a").statusCode()).isEqualTo(200);
            assertThat(app.get("/open?plan=a").statusCode()).isEqualTo(429);
            assertThat(app.get("/open?plan=a", "X-Skip", "yes").statusCode()).isEqualTo(200);
            assertThat(app.get("/open?plan=b").statusCode()).isEqualTo(200);
            String login = "Basic " + Base64.getEncoder().encodeToString("ann:secret".getBytes());
            assertThat(app.get("/private", "Authorization", login).statusCode()).isEqualTo(200);
            assertThat(app.get("/private", "Authorization", login).statusCode()).isEqualTo(200);
            assertThat(app.get("/private", "Authorization", login).body()).contains("\"limit\":\"initials\"");
        }
    }

    @Test
    void parallelRequests_areAdmittedExactlyToTheLimit_andEveryResponseTells() throws Exception {
        try (App app = App.reactive(Application.class, LIMITS)) {
            HttpResponse<String> open = app.get("/open", "Origin", "https://elsewhere.example");
            assertThat(header(open, "X-RateLimit-Limit")).isEqualTo("20");
            assertThat(header(open, "X-RateLimit-Remaining")).isEqualTo("19");
            assertThat(open.headers().allValues("Access-Control-Expose-Headers").toString())
                    .contains("X-RateLimit-Limit");
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
            assertThat(header(health, "X-RateLimit-Limit")).isNull();
            assertThat(header(app.get("/nothing-here"), "X-RateLimit-Remaining"))
                    .isEqualTo("18");
            assertThat(header(app.get("/private"), "X-RateLimit-Remaining")).isEqualTo("17");

            List<Integer> statuses = app.together(50, "/open");

            assertThat(count(statuses, 200)).isEqualTo(17);
            assertThat(count(statuses, 429)).isEqualTo(33);
            HttpResponse<String> refused = app.get("/open");
            assertThat(header(refused, "Content-Type")).isEqualTo("application/problem+json");
            assertThat(Long.parseLong(header(refused, "Retry-After"))).isBetween(1L, 3600L);
            assertThat(refused.body())
                    .contains("\"error\":\"rate_limited\"", "\"limit\":\"address\"", "\"status\":429");
            // The firewall of Spring Boot 3 runs before the filter and refuses an escaped slash itself.
            boolean firewallFirst = SpringBootVersion.getVersion().startsWith("3.");
            assertThat(app.get("/actuator%2Fhealth/x").statusCode()).isEqualTo(firewallFirst ? 400 : 429);
        }
    }

    @Test
    void layers_beforeAndBehindAuthentication_actInTheirOrder() throws Exception {
        try (App app = App.reactive(Application.class, LIMITS)) {
            String ann = basic("ann", "secret");
            for (int i = 0; i < 3; i++) {
                assertThat(app.get("/private", "Authorization", ann).statusCode())
                        .isEqualTo(200);
            }
            HttpResponse<String> beyond = app.get("/private", "Authorization", ann);
            assertThat(beyond.statusCode()).isEqualTo(429);
            assertThat(beyond.body()).contains("\"limit\":\"member\"");
            assertThat(beyond.headers().allValues("X-RateLimit-Limit")).containsExactly("3");

            // The refusal charged nothing to the address.
            assertThat(header(app.get("/private", "Authorization", basic("ben", "secret")), "RateLimit"))
                    .contains("\"address\";r=16", "\"member\";r=2");
            assertThat(app.get("/private", "Authorization", basic("ben", "guess"))
                            .statusCode())
                    .isEqualTo(401);
            assertThat(header(app.get("/open"), "X-RateLimit-Remaining")).isEqualTo("14");
        }
    }

    @Test
    void limitedMethods_areRefusedAsTheFilterRefuses() throws Exception {
        try (App app = App.reactive(Application.class, LIMITS)) {
            HttpResponse<String> first = app.get("/mono");
            assertThat(first.statusCode()).isEqualTo(200);
            assertThat(header(first, "X-RateLimit-Limit")).isEqualTo("5");
            assertThat(header(first, "RateLimit-Policy")).contains("\"address\"", "\"calls\"");

            assertThat(count(app.together(10, "/flux"), 200)).isEqualTo(4);
            for (String path : List.of("/mono", "/flux", "/functional")) {
                HttpResponse<String> refused = app.get(path);
                assertThat(refused.statusCode()).as(path).isEqualTo(429);
                assertThat(refused.headers().allValues("X-RateLimit-Remaining")).containsExactly("0");
                assertThat(header(refused, "Retry-After")).isNotNull();
                assertThat(refused.body()).contains("\"limit\":\"calls\"");
            }
        }
    }

    @Test
    void repeatedAnnotations_areAllOrNothing_alsoWhenTheStoreIsElsewhere() throws Exception {
        for (Class<?> application : List.of(Application.class, Elsewhere.class)) {
            try (App app = App.reactive(application, application == Elsewhere.class ? new String[0] : LIMITS)) {
                assertThat(app.get("/all?room=a&n=60").statusCode()).isEqualTo(200);
                assertThat(app.get("/all?room=a&n=60").statusCode()).isEqualTo(429);
                assertThat(app.get("/all?room=a&n=0").statusCode()).isEqualTo(400);
                assertThat(app.get("/all?room=a&n=40").statusCode()).isEqualTo(200);
                HttpResponse<String> both = app.get("/all?room=a&n=1");
                assertThat(both.statusCode()).isEqualTo(429);
                assertThat(both.body()).contains("\"limit\":\"both\"");
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Elsewhere extends Application {
        @Bean
        Weir weir() {
            return Fixtures.elsewhere("  - { name: calls, per: [ip], rate: 5/hour, match: { channel: call } }\n"
                    + "  - { name: both, per: [room], rate: 2/hour }\n"
                    + "  - { name: tokens, per: [room], rate: 100/hour, cost: tokens }\n");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class BrokenStore extends Application {
        @Bean
        Weir weir() {
            return Fixtures.broken("  - { name: calls, per: [ip], rate: 10/min }\n"
                    + "  - { name: both, per: [room], rate: 2/hour }\n"
                    + "  - { name: tokens, per: [room], rate: 100/hour, cost: tokens }\n");
        }
    }

    @Test
    void storeThatDoesNotAnswer_refuses() throws Exception {
        try (App app = App.reactive(BrokenStore.class)) {
            HttpResponse<String> refused = app.get("/open");

            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(header(refused, "Retry-After")).isEqualTo("60");
            assertThat(refused.body()).contains("Rate limiter temporarily unavailable");
        }
    }

    private static String basic(String user, String password) {
        return "Basic " + Base64.getEncoder().encodeToString((user + ":" + password).getBytes());
    }
}
