package dev.weir.spring;

import static dev.weir.spring.App.header;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.StoreException;
import dev.weir.remote.Promise;
import dev.weir.spi.idempotency.ResponseStore;
import java.lang.reflect.Proxy;
import java.net.http.HttpResponse;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.userdetails.MapReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Requests with an idempotency key are executed once in reactive applications, too. */
@Tag("io")
class ReactiveIdempotencyTest {
    private static final String KEY = "Idempotency-Key";
    private static final String[] PROPERTIES = {
        "weir.idempotency.enabled=true",
        "weir.limits[0].name=address",
        "weir.limits[0].per=ip",
        "weir.limits[0].rate=10/hour",
        "weir.limits[1].name=member",
        "weir.limits[1].per=user",
        "weir.limits[1].rate=10/hour"
    };

    @RestController
    static class Pages {
        final AtomicInteger done = new AtomicInteger();
        final CountDownLatch begun = new CountDownLatch(1);
        final CountDownLatch mayEnd = new CountDownLatch(1);

        @PostMapping("/pay")
        Mono<ResponseEntity<String>> pay(@RequestBody(required = false) String body) {
            return Mono.fromSupplier(() -> ResponseEntity.status(HttpStatus.CREATED)
                    .header("X-Own", "a", "b")
                    .header("Set-Cookie", "a=b")
                    .body("done " + done.incrementAndGet() + " é " + body));
        }

        @PostMapping("/form")
        Mono<String> form(ServerWebExchange exchange) {
            return exchange.getFormData().map(form -> form.getFirst("sum") + " " + done.incrementAndGet());
        }

        @PostMapping(path = "/stream", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
        Flux<String> stream() {
            return Flux.just("one", "two", Integer.toString(done.incrementAndGet()));
        }

        @PostMapping("/empty")
        Mono<ResponseEntity<Void>> empty() {
            done.incrementAndGet();
            return Mono.just(ResponseEntity.noContent().build());
        }

        @PostMapping("/fails")
        Mono<String> fails() {
            done.incrementAndGet();
            return Mono.error(new IllegalStateException("on purpose"));
        }

        @PostMapping("/large")
        Mono<String> large() {
            return Mono.just("x".repeat(600_000) + done.incrementAndGet());
        }

        @PostMapping("/slow")
        Mono<String> slow() {
            return Mono.fromCallable(() -> {
                        begun.countDown();
                        assertThat(mayEnd.await(20, TimeUnit.SECONDS)).isTrue();
                        return "slow " + done.incrementAndGet();
                    })
                    .subscribeOn(Schedulers.boundedElastic());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        @Bean
        Pages pages() {
            return new Pages();
        }

        @Bean
        SecurityWebFilterChain security(ServerHttpSecurity http) {
            return http.csrf(csrf -> csrf.disable())
                    .authorizeExchange(exchanges -> exchanges.anyExchange().permitAll())
                    .httpBasic(Customizer.withDefaults())
                    .build();
        }

        @Bean
        MapReactiveUserDetailsService users() {
            return new MapReactiveUserDetailsService(user("ann"), user("ben"));
        }

        private static org.springframework.security.core.userdetails.UserDetails user(String name) {
            return User.withUsername(name)
                    .password("{noop}secret")
                    .roles("USER")
                    .build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Broken extends Application {
        @Bean
        ResponseStore responses() {
            return (ResponseStore) Proxy.newProxyInstance(
                    getClass().getClassLoader(),
                    new Class<?>[] {ResponseStore.class},
                    (proxy, method, arguments) -> method.getName().equals("close")
                            ? null
                            : Promise.failed(new StoreException("gone", true, null)));
        }
    }

    @Test
    void repeatedRequest_isAnsweredTheSameWithoutSpending() throws Exception {
        try (App app = App.reactive(Application.class, PROPERTIES)) {
            HttpResponse<String> first = app.send("POST", "/pay?a=1", "5", KEY, "k1");
            HttpResponse<String> again = app.send("POST", "/pay?a=1", "5", KEY, "\"k1\"");

            assertThat(first.statusCode()).isEqualTo(201);
            assertThat(header(first, "X-RateLimit-Remaining")).isEqualTo("9");
            assertThat(again.statusCode()).isEqualTo(201);
            assertThat(again.body()).isEqualTo(first.body()).isEqualTo("done 1 é 5");
            assertThat(again.headers().allValues("X-Own")).containsExactly("a", "b");
            assertThat(header(again, "Content-Type")).isEqualTo(header(first, "Content-Type"));
            assertThat(header(again, "Set-Cookie")).isNull();
            assertThat(header(again, "Idempotency-Replayed")).isEqualTo("true");
            assertThat(header(again, "X-RateLimit-Remaining")).isEqualTo("9");

            assertThat(app.send("POST", "/pay?a=1", "6", KEY, "k1").statusCode())
                    .isEqualTo(422);
            assertThat(app.send("POST", "/pay?a=2", "5", KEY, "k1").statusCode())
                    .isEqualTo(422);
            assertThat(app.send("POST", "/pay", "5", KEY, "a b").statusCode()).isEqualTo(400);
            assertThat(app.send("POST", "/pay", "5", KEY, "a", KEY, "b").statusCode())
                    .isEqualTo(400);
            assertThat(app.send("POST", "/pay", "x".repeat((1 << 20) + 1), KEY, "big")
                            .statusCode())
                    .isEqualTo(413);
            assertThat(app.bean(Pages.class).done).hasValue(1);
            assertThat(header(app.send("POST", "/pay", "5"), "X-RateLimit-Remaining"))
                    .isEqualTo("8");
        }
    }

    @Test
    void responses_ofEveryKind_areRemembered_andFailuresAreNot() throws Exception {
        try (App app = App.reactive(Application.class, PROPERTIES)) {
            AtomicInteger done = app.bean(Pages.class).done;
            String form = "application/x-www-form-urlencoded";
            assertThat(app.send("POST", "/form", "sum=5", KEY, "f", "Content-Type", form)
                            .body())
                    .isEqualTo("5 1");
            assertThat(app.send("POST", "/form", "sum=5", KEY, "f", "Content-Type", form)
                            .body())
                    .isEqualTo("5 1");
            String stream = app.send("POST", "/stream", null, KEY, "s").body();
            assertThat(stream).contains("one", "two", "2");
            assertThat(app.send("POST", "/stream", null, KEY, "s").body()).isEqualTo(stream);
            assertThat(app.send("POST", "/empty", null, KEY, "e").statusCode()).isEqualTo(204);
            assertThat(app.send("POST", "/empty", null, KEY, "e").statusCode()).isEqualTo(204);
            assertThat(done).hasValue(3);
            assertThat(app.send("POST", "/fails", null, KEY, "x").statusCode()).isEqualTo(500);
            assertThat(app.send("POST", "/fails", null, KEY, "x").statusCode()).isEqualTo(500);
            assertThat(done).hasValue(5);
            assertThat(app.send("POST", "/large", null, KEY, "l").body()).hasSize(600_001);
            assertThat(app.send("POST", "/large", null, KEY, "l").statusCode()).isEqualTo(409);
            assertThat(done).hasValue(6);
        }
    }

    @Test
    void repeatedRequest_isAnsweredEvenWhenTheLimitIsUsedUp_andARefusedKeyIsFree() throws Exception {
        String[] properties = PROPERTIES.clone();
        // Limits that need no user are checked before the key.
        properties[3] = "weir.limits[0].rate=100/hour";
        try (App app = App.reactive(Application.class, properties)) {
            String[] first = {KEY, "k1", "Authorization", login("ann")};
            String[] another = {KEY, "k2", "Authorization", login("ann")};
            app.send("POST", "/pay", "5", first);
            for (int i = 0; i < 9; i++) {
                app.send("POST", "/pay", "5", "Authorization", login("ann"));
            }
            assertThat(app.send("POST", "/pay", "5", another).statusCode()).isEqualTo(429);
            HttpResponse<String> again = app.send("POST", "/pay", "5", first);
            assertThat(again.statusCode()).isEqualTo(201);
            assertThat(header(again, "X-RateLimit-Remaining")).isEqualTo("0");
            assertThat(header(again, "Retry-After")).isNull();
            assertThat(app.send("POST", "/pay", "5", another).statusCode()).isEqualTo(429);
        }
    }

    @Test
    void secondRequestInFlight_isToldSo() throws Exception {
        try (App app = App.reactive(Application.class, PROPERTIES)) {
            Pages pages = app.bean(Pages.class);
            CompletableFuture<String> first = CompletableFuture.supplyAsync(() -> {
                try {
                    return app.send("POST", "/slow", null, KEY, "k").body();
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            });
            assertThat(pages.begun.await(20, TimeUnit.SECONDS)).isTrue();
            HttpResponse<String> second = app.send("POST", "/slow", null, KEY, "k");
            pages.mayEnd.countDown();

            assertThat(second.statusCode()).isEqualTo(409);
            assertThat(header(second, "Retry-After")).isEqualTo("1");
            assertThat(first.get(20, TimeUnit.SECONDS)).isEqualTo("slow 1");
            assertThat(app.send("POST", "/slow", null, KEY, "k").body()).isEqualTo("slow 1");
        }
    }

    @Test
    void users_areNotShownTheResponsesOfOthers_andKeysMayBeRequired() throws Exception {
        try (App app = App.reactive(Application.class, with("weir.idempotency.required=true"))) {
            assertThat(app.send("POST", "/pay", "5", KEY, "k", "Authorization", login("ann"))
                            .body())
                    .isEqualTo("done 1 é 5");
            assertThat(app.send("POST", "/pay", "5", KEY, "k", "Authorization", login("ben"))
                            .body())
                    .isEqualTo("done 2 é 5");
            assertThat(app.send("POST", "/pay", "5", KEY, "k", "Authorization", login("ann"))
                            .body())
                    .isEqualTo("done 1 é 5");
            assertThat(app.send("POST", "/pay", "5").statusCode()).isEqualTo(400);
        }
    }

    @Test
    void storeOfResponsesThatFails_isNotGuessedFor() throws Exception {
        try (App app = App.reactive(Broken.class, PROPERTIES)) {
            HttpResponse<String> refused = app.send("POST", "/pay", "5", KEY, "k");
            assertThat(refused.statusCode()).isEqualTo(503);
            assertThat(header(refused, "Retry-After")).isEqualTo("60");
            assertThat(app.bean(Pages.class).done).hasValue(0);
            assertThat(app.send("POST", "/pay", "5").statusCode()).isEqualTo(201);
        }
    }

    private static String login(String user) {
        return "Basic " + Base64.getEncoder().encodeToString((user + ":secret").getBytes());
    }

    private static String[] with(String more) {
        String[] all = java.util.Arrays.copyOf(PROPERTIES, PROPERTIES.length + 1);
        all[PROPERTIES.length] = more;
        return all;
    }
}
