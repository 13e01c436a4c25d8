package dev.weir.spring;

import static dev.weir.spring.App.count;
import static dev.weir.spring.App.header;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.weir.engine.LimitResult;
import dev.weir.engine.Weir;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Limits on methods: of any bean, and of controllers on a real Tomcat. */
@Tag("io")
class RateLimitedTest {
    private static final String[] LIMITS = {
        "weir.limits[0].name=exports",
        "weir.limits[0].per=user",
        "weir.limits[0].rate=10/hour",
        "weir.limits[0].match.channel=call",
        "weir.limits[1].name=team",
        "weir.limits[1].per=team",
        "weir.limits[1].rate=4/hour",
        "weir.limits[1].match.channel=call",
        "weir.limits[2].name=everybody",
        "weir.limits[2].per=ip",
        "weir.limits[2].match.channel=call",
        "weir.limits[2].rate=5/hour",
        "weir.limits[3].name=tokens",
        "weir.limits[3].per=user",
        "weir.limits[3].cost=tokens",
        "weir.limits[3].rate=100/hour",
        "weir.limits[4].name=requests",
        "weir.limits[4].per=ip",
        "weir.limits[4].rate=1000/hour",
        "weir.limits[4].match.channel=http"
    };

    record Who(String id) {}

    /** A bean like any other. */
    static class Exports {
        private final AtomicInteger done = new AtomicInteger();

        /** A method, as the fields of a proxy are not those of the bean. */
        public AtomicInteger done() {
            return done;
        }

        @RateLimited(value = "exports", key = "#user")
        public String export(String user) {
            done.incrementAndGet();
            return "exported for " + user;
        }

        @RateLimited(value = "exports", key = "#who.id")
        public void of(Who who) {
            done.incrementAndGet();
        }

        @RateLimited(value = "exports", key = "#who")
        public void ofAnObject(Who who) {
            done.incrementAndGet();
        }

        @RateLimited(value = "exports", key = "#user")
        @RateLimited(value = "team", key = "#team", cost = "2")
        public void both(String user, String team) {
            done.incrementAndGet();
        }

        @RateLimited(value = "tokens", key = "#user", cost = "#tokens")
        public void spend(String user, Object tokens) {
            done.incrementAndGet();
        }

        @RateLimited("exports")
        public void withoutKey() {
            done.incrementAndGet();
        }

        @RateLimited(value = "exports", key = "#user")
        public Mono<String> later(String user) {
            return Mono.fromSupplier(() -> "number " + done.incrementAndGet());
        }

        @RateLimited(value = "exports", key = "#user")
        public Flux<Integer> many(String user) {
            return Flux.just(1, 2, done.incrementAndGet());
        }

        @RateLimited(value = "exports", key = "#user")
        public CompletableFuture<Integer> stage(String user) {
            return CompletableFuture.completedFuture(done.incrementAndGet());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        @Bean
        Exports exports() {
            return new Exports();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Elsewhere extends Application {
        @Bean
        Weir weir() {
            return Fixtures.elsewhere("  - { name: exports, per: [user], rate: 10/hour }\n"
                    + "  - { name: team, per: [team], rate: 4/hour }\n"
                    + "  - { name: tokens, per: [user], rate: 100/hour, cost: tokens }\n");
        }
    }

    @Test
    void calls_inParallel_happenExactlyToTheLimit() throws Exception {
        for (Class<?> application : List.of(Application.class, Elsewhere.class)) {
            try (App app = App.plain(application, application == Elsewhere.class ? new String[0] : LIMITS)) {
                Exports exports = app.bean(Exports.class);
                ExecutorService threads = Executors.newFixedThreadPool(16);
                List<Future<?>> calls = new ArrayList<>();
                for (int i = 0; i < 50; i++) {
                    calls.add(threads.submit(() -> exports.export("ann")));
                }
                int refused = 0;
                for (Future<?> call : calls) {
                    Throwable failure = catchThrowable(call::get);
                    if (failure != null) {
                        assertThat(failure)
                                .isInstanceOf(ExecutionException.class)
                                .hasCauseInstanceOf(RateLimitedException.class);
                        refused++;
                    }
                }
                threads.shutdown();

                assertThat(exports.done()).hasValue(10);
                assertThat(refused).isEqualTo(40);
                assertThat(exports.export("ben")).isEqualTo("exported for ben");
            }
        }
    }

    @Test
    void refusedCall_saysWhatAndHowLong_andNotWho() {
        try (App app = App.plain(Application.class, LIMITS)) {
            Exports exports = app.bean(Exports.class);
            for (int i = 0; i < 10; i++) {
                exports.export("ann@example.org");
            }
            assertThatExceptionOfType(RateLimitedException.class)
                    .isThrownBy(() -> exports.export("ann@example.org"))
                    .satisfies(refused -> assertThat(refused.retryAfter()).isNotNull())
                    .withMessageContaining("'exports'")
                    .withMessageNotContaining("ann");
        }
    }

    @Test
    void repeatedAnnotations_areAllOrNothing() {
        try (App app = App.plain(Application.class, LIMITS)) {
            Exports exports = app.bean(Exports.class);
            exports.both("ann", "red");
            exports.both("ann", "red");

            // Two of four are two calls at a cost of two: the third is refused, and charges neither limit.
            for (int i = 0; i < 5; i++) {
                assertThatExceptionOfType(RateLimitedException.class).isThrownBy(() -> exports.both("ann", "red"));
            }
            assertThat(exports.done()).hasValue(2);
            assertThat(remaining(app, "exports", "ann")).isEqualTo(8);
        }
    }

    @Test
    void keys_thatAreNone_areErrors_andNothingHappens() {
        try (App app = App.plain(Application.class, LIMITS)) {
            Exports exports = app.bean(Exports.class);

            assertThatIllegalStateException()
                    .isThrownBy(() -> exports.export(null))
                    .withMessageContainingAll(
                            "the key of @RateLimited(\"exports\") of Exports.export", "'#user'", "null");
            assertThatIllegalStateException()
                    .isThrownBy(() -> exports.export(""))
                    .withMessageContaining("is empty");
            assertThatIllegalStateException()
                    .isThrownBy(() -> exports.of(null))
                    .withMessageContaining("could not be evaluated");
            assertThatIllegalStateException()
                    .isThrownBy(() -> exports.of(new Who(null)))
                    .withMessageContaining("is null");
            assertThatIllegalStateException()
                    .isThrownBy(() -> exports.ofAnObject(new Who("ann")))
                    .withMessageContaining("must be a text");
            assertThatIllegalStateException()
                    .isThrownBy(exports::withoutKey)
                    .withMessageContainingAll("is per user", "has no such attribute");
            assertThatIllegalStateException()
                    .isThrownBy(() -> exports.later(null).block());
            assertThat(exports.done()).hasValue(0);
        }
    }

    @Test
    void keys_howeverLargeAndOdd_areToldApart() {
        try (App app = App.plain(Application.class, LIMITS)) {
            Exports exports = app.bean(Exports.class);
            String huge = "x".repeat(1_000_000);
            for (int i = 0; i < 10; i++) {
                exports.export(huge + "1");
            }
            assertThatExceptionOfType(RateLimitedException.class).isThrownBy(() -> exports.export(huge + "1"));
            exports.export(huge + "2");
            exports.export("\u0000\r\n\uD800 %s ${x} #{1+1}");
            exports.export("ann:ben");
        }
    }

    @Test
    void cost_isWhatTheExpressionSays_orAnError() {
        try (App app = App.plain(Application.class, LIMITS)) {
            Exports exports = app.bean(Exports.class);
            exports.spend("ann", 60);
            assertThat(remaining(app, "tokens", "ann")).isEqualTo(40);
            assertThatExceptionOfType(RateLimitedException.class).isThrownBy(() -> exports.spend("ann", 41));
            for (Object none : new Object[] {0, -5, 1.5, "many", null, Long.MAX_VALUE, Double.NaN}) {
                assertThatExceptionOfType(RateLimitCostException.class)
                        .isThrownBy(() -> exports.spend("ann", none))
                        .withMessageContaining("it must be a whole number from 1");
            }
            exports.spend("ann", 40L);
            assertThat(exports.done()).hasValue(2);
        }
    }

    @Test
    void publishers_areChargedAtEachSubscription() {
        for (Class<?> application : List.of(Application.class, Elsewhere.class)) {
            try (App app = App.plain(application, application == Elsewhere.class ? new String[0] : LIMITS)) {
                Exports exports = app.bean(Exports.class);
                Mono<String> later = exports.later("ann");
                assertThat(exports.done()).hasValue(0);
                for (int i = 1; i <= 9; i++) {
                    assertThat(later.block()).isEqualTo("number " + i);
                }
                assertThat(exports.many("ann").collectList().block()).containsExactly(1, 2, 10);
                assertThatExceptionOfType(RateLimitedException.class).isThrownBy(later::block);
                assertThatExceptionOfType(RateLimitedException.class)
                        .isThrownBy(() -> exports.many("ann").blockLast());
                assertThatExceptionOfType(CompletionException.class)
                        .isThrownBy(() -> exports.stage("ann").join())
                        .withCauseInstanceOf(RateLimitedException.class);
                assertThat(exports.stage("ben").join()).isEqualTo(11);
            }
        }
    }

    @Test
    void eventLoop_isNeverHeldUp() {
        try (App app = App.plain(Elsewhere.class)) {
            Exports exports = app.bean(Exports.class);
            reactor.core.scheduler.Scheduler loop = reactor.core.scheduler.Schedulers.parallel();

            assertThatIllegalStateException()
                    .isThrownBy(() -> Mono.fromCallable(() -> exports.export("ann"))
                            .subscribeOn(loop)
                            .block())
                    .withMessageContaining("would wait for the store on an event loop");
            assertThat(Mono.defer(() -> Mono.fromFuture(exports.stage("ann")))
                            .subscribeOn(loop)
                            .block())
                    .isEqualTo(1);
            assertThat(Mono.defer(() -> exports.later("ann")).subscribeOn(loop).block())
                    .isEqualTo("number 2");
            assertThat(remaining(app, "exports", "ann")).isEqualTo(8);
        }
    }

    @RestController
    static class Pages {
        @RateLimited("everybody")
        @GetMapping("/limited")
        String limited() {
            return "hello";
        }

        @RateLimited("everybody")
        @GetMapping("/future")
        CompletableFuture<String> future() {
            return CompletableFuture.supplyAsync(() -> "hello");
        }

        @RateLimited(value = "tokens", key = "#user", cost = "#n")
        @GetMapping("/spend")
        String spend(@RequestParam("user") String user, @RequestParam("n") int n) {
            return "spent";
        }
    }

    /** A handler of all exceptions, which many applications have. It must not turn a refusal into a failure. */
    @ControllerAdvice
    static class CatchAll {
        @ExceptionHandler(Exception.class)
        @ResponseBody
        String anything() {
            return "caught";
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Web extends Application {
        @Bean
        Pages pages() {
            return new Pages();
        }

        @Bean
        CatchAll catchAll() {
            return new CatchAll();
        }

        @Bean
        SecurityFilterChain security(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .build();
        }
    }

    @Test
    void controller_knowsTheRequest_andItsRefusalIsTheFilters() throws Exception {
        try (App app = App.servlet(Web.class, LIMITS)) {
            HttpResponse<String> first = app.get("/limited");
            assertThat(first.statusCode()).isEqualTo(200);
            assertThat(header(first, "X-RateLimit-Limit")).isEqualTo("5");
            assertThat(header(first, "X-RateLimit-Remaining")).isEqualTo("4");
            assertThat(header(first, "RateLimit-Policy")).contains("\"requests\"", "\"everybody\"");

            assertThat(count(app.together(30, "/limited"), 200)).isEqualTo(4);
            for (String path : List.of("/limited", "/future")) {
                HttpResponse<String> refused = app.get(path);
                assertThat(refused.statusCode()).as(path).isEqualTo(429);
                assertThat(refused.headers().allValues("X-RateLimit-Remaining")).containsExactly("0");
                assertThat(header(refused, "Retry-After")).isNotNull();
                assertThat(header(refused, "Content-Type")).isEqualTo("application/problem+json");
                assertThat(refused.body()).contains("\"limit\":\"everybody\"", "\"status\":429");
            }
        }
    }

    @Test
    void controller_whoseCostIsNone_answers400() throws Exception {
        try (App app = App.servlet(Web.class, LIMITS)) {
            HttpResponse<String> wrong = app.get("/spend?user=ann&n=-1");

            assertThat(wrong.statusCode()).isEqualTo(400);
            assertThat(wrong.body()).contains("\"error\":\"bad_request\"", "whole number");
            assertThat(app.get("/spend?user=ann&n=100").statusCode()).isEqualTo(200);
        }
    }

    private static long remaining(App app, String limit, String user) {
        return app.bean(Weir.class).status(Map.of("user", user)).stream()
                .filter(result -> result.name().equals(limit))
                .mapToLong(LimitResult::remaining)
                .findFirst()
                .orElseThrow();
    }
}
