package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.weir.engine.Weir;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import kotlin.coroutines.Continuation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Limits on classes, fallback methods, and calls that are charged by their results. */
@Tag("io")
class MethodResultsTest {
    private static final String[] LIMITS = {
        "weir.limits[0].name=all",
        "weir.limits[0].rate=2/hour",
        "weir.limits[1].name=own",
        "weir.limits[1].rate=1/hour",
        "weir.limits[2].name=failures",
        "weir.limits[2].per=user",
        "weir.limits[2].rate=2/hour",
        "weir.limits[3].name=calls",
        "weir.limits[3].per=user",
        "weir.limits[3].rate=100/hour",
    };

    /** A class with a limit on all its methods. */
    @RateLimited("all")
    static class Whole {
        public String one() {
            return "one";
        }

        public String two() {
            return "two";
        }

        @RateLimited("own")
        public String own() {
            return "own";
        }

        String notPublic() {
            return "not limited";
        }
    }

    /** Methods with fallbacks. */
    static class Fallbacks {
        @RateLimited(value = "own", fallbackMethod = "instead")
        public String plain(String name) {
            return "called " + name;
        }

        String instead(String name) {
            return "instead of " + name;
        }

        @RateLimited(value = "own", fallbackMethod = "later")
        public Mono<String> mono(String name) {
            return Mono.just("called " + name);
        }

        private Mono<String> later(String name, RateLimitedException refused) {
            return Mono.just(name + ": " + refused.outcome().decisive().name());
        }

        @RateLimited(value = "own", fallbackMethod = "soon")
        public CompletableFuture<String> future(String name) {
            return CompletableFuture.completedFuture("called " + name);
        }

        CompletableFuture<String> soon(String name, RateLimitedException refused) {
            return CompletableFuture.completedFuture(name + " soon");
        }
    }

    /** Methods that are charged by their results. */
    static class Logins {
        @RateLimited(value = "failures", key = "#user", chargeIf = "!#result")
        @RateLimited(value = "calls", key = "#user")
        public boolean login(String user, boolean isRight) {
            return isRight;
        }

        @RateLimited(value = "failures", key = "#user", chargeIf = "#exception instanceof T(IllegalArgumentException)")
        public void check(String user, RuntimeException failure) {
            if (failure != null) {
                throw failure;
            }
        }

        @RateLimited(value = "failures", key = "#user", chargeIf = "#result == null or !#result")
        public Mono<Boolean> mono(String user, Boolean isRight) {
            return Mono.justOrEmpty(isRight);
        }

        @RateLimited(value = "failures", key = "#user", chargeIf = "#exception != null")
        public Flux<Integer> flux(String user, boolean fails) {
            return fails ? Flux.error(new IllegalArgumentException("wrong")) : Flux.just(1, 2);
        }

        @RateLimited(value = "failures", key = "#user", chargeIf = "#exception != null")
        public CompletableFuture<String> future(String user, boolean fails) {
            return CompletableFuture.supplyAsync(() -> {
                if (fails) {
                    throw new IllegalArgumentException("wrong");
                }
                return "right";
            });
        }

        @RateLimited(value = "failures", key = "#user", chargeIf = "#result")
        public String wrong(String user) {
            return "no flag";
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        @Bean
        Whole whole() {
            return new Whole();
        }

        @Bean
        Fallbacks fallbacks() {
            return new Fallbacks();
        }

        @Bean
        Logins logins() {
            return new Logins();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Elsewhere extends Application {
        @Bean
        Weir weir() {
            return Fixtures.elsewhere("""
                      - { name: all, rate: 2/hour }
                      - { name: own, rate: 1/hour }
                      - { name: failures, per: [user], rate: 2/hour }
                      - { name: calls, per: [user], rate: 100/hour }
                    """);
        }
    }

    @Test
    void annotationOfAClass_limitsItsPublicMethods_exceptThoseWithTheirOwn() {
        try (App app = App.plain(Application.class, LIMITS)) {
            Whole whole = app.bean(Whole.class);
            whole.own();
            whole.one();
            whole.two();
            assertThatExceptionOfType(RateLimitedException.class).isThrownBy(whole::one);
            assertThatExceptionOfType(RateLimitedException.class).isThrownBy(whole::own);
            assertThat(whole.toString()).isNotNull();
            assertThat(whole.notPublic()).isEqualTo("not limited");
        }
    }

    @Test
    void fallback_isCalledInPlaceOfARefusedCall() {
        try (App app = App.plain(Application.class, LIMITS)) {
            Fallbacks fallbacks = app.bean(Fallbacks.class);
            assertThat(fallbacks.plain("a")).isEqualTo("called a");
            assertThat(fallbacks.plain("b")).isEqualTo("instead of b");
            assertThat(fallbacks.mono("c").block()).isEqualTo("c: own");
            assertThat(fallbacks.future("d").join()).isEqualTo("d soon");
        }
    }

    @Test
    void call_isChargedByItsResult() {
        try (App app = App.plain(Application.class, LIMITS)) {
            chargesByResult(app);
        }
    }

    @Test
    void call_isChargedByItsResult_withAStoreElsewhere() {
        try (App app = App.plain(Elsewhere.class)) {
            chargesByResult(app);
        }
    }

    private static void chargesByResult(App app) {
        Logins logins = app.bean(Logins.class);
        for (int i = 0; i < 5; i++) {
            assertThat(logins.login("ann", true)).isTrue();
        }
        assertThat(left(app, "failures", "ann")).isEqualTo(2);
        assertThat(left(app, "calls", "ann")).isEqualTo(95);
        assertThat(logins.login("ann", false)).isFalse();
        assertThat(logins.login("ann", false)).isFalse();
        assertThatExceptionOfType(RateLimitedException.class).isThrownBy(() -> logins.login("ann", true));

        logins.check("ben", null);
        assertThatIllegalStateException().isThrownBy(() -> logins.check("ben", new IllegalStateException()));
        assertThat(left(app, "failures", "ben")).isEqualTo(2);
        assertThatIllegalArgumentException().isThrownBy(() -> logins.check("ben", new IllegalArgumentException()));
        assertThat(left(app, "failures", "ben")).isEqualTo(1);

        assertThat(logins.mono("cay", true).block()).isTrue();
        assertThat(left(app, "failures", "cay")).isEqualTo(2);
        assertThat(logins.mono("cay", null).block()).isNull();
        assertThat(left(app, "failures", "cay")).isEqualTo(1);

        assertThat(logins.flux("dan", false).collectList().block()).containsExactly(1, 2);
        assertThat(left(app, "failures", "dan")).isEqualTo(2);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> logins.flux("dan", true).blockLast());
        assertThat(left(app, "failures", "dan")).isEqualTo(1);

        assertThat(logins.future("eve", false).join()).isEqualTo("right");
        assertThat(left(app, "failures", "eve")).isEqualTo(2);
        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(() -> logins.future("eve", true).join())
                .withCauseInstanceOf(IllegalArgumentException.class);
        assertThat(left(app, "failures", "eve")).isEqualTo(1);

        assertThatIllegalStateException()
                .isThrownBy(() -> logins.wrong("fay"))
                .withMessageContaining("the chargeIf of @RateLimited(\"failures\") of Logins.wrong");
        assertThat(left(app, "failures", "fay")).isEqualTo(1);
    }

    private static long left(App app, String limit, String user) {
        return app.bean(Weir.class).status(Map.of("user", user)).stream()
                .filter(result -> result.name().equals(limit))
                .findFirst()
                .orElseThrow()
                .remaining();
    }

    static class WithoutFallback {
        @RateLimited(value = "found", fallbackMethod = "instead")
        public String call(String name) {
            return name;
        }

        String instead(int number) {
            return "" + number;
        }
    }

    static class Suspends {
        @RateLimited("found")
        public Object call(String name, Continuation<String> next) {
            return name;
        }
    }

    @RateLimited("found")
    static class WithFinal {
        public String one() {
            return "";
        }

        public final String two() {
            return "";
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class NoFallback {
        @Bean
        WithoutFallback bean() {
            return new WithoutFallback();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Coroutine {
        @Bean
        Suspends bean() {
            return new Suspends();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class FinalMethod {
        @Bean
        WithFinal bean() {
            return new WithFinal();
        }
    }

    @Test
    void whatCannotWork_isToldAtTheStart() {
        FailureAnalysis fallback = failure(NoFallback.class);
        assertThat(fallback.getDescription())
                .contains("@RateLimited(\"found\") of WithoutFallback.call has the fallbackMethod 'instead'");
        assertThat(fallback.getAction()).contains("String instead(String)");
        assertThat(failure(Coroutine.class).getDescription()).contains("Suspends.call is on a suspend function");
        assertThat(failure(FinalMethod.class).getDescription()).contains("WithFinal.two is on a method that is");
    }

    private static FailureAnalysis failure(Class<?> application) {
        Throwable failure = catchThrowable(() -> App.plain(application).close());
        FailureAnalysis analysis = new SetupFailureAnalyzer().analyze(failure);
        assertThat(analysis).as(String.valueOf(failure)).isNotNull();
        return analysis;
    }
}
