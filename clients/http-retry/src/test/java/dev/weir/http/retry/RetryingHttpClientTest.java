package dev.weir.http.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.engine.Weir;
import dev.weir.engine.config.ConfigurationReader;
import dev.weir.engine.settings.InMemorySettings;
import dev.weir.memory.MemoryStore;
import dev.weir.memory.MemoryStoreOptions;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The client against real servers; its waits use a clock that the test advances. */
@Tag("io")
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class RetryingHttpClientTest {
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final VirtualTime time = new VirtualTime();

    @Test
    void refusedRequest_waitsAsTold_andIsAnswered() throws Exception {
        try (Weir weir = weir("limits: [{ name: calls, per: [user], rate: 1/min }]");
                Api api = Api.limitedBy(weir)) {
            RetryingHttpClient client =
                    builder().withoutPacing().longestWait(Duration.ofMinutes(5)).build();
            for (int i = 0; i < 3; i++) {
                assertThat(client.send(api.request().build(), BodyHandlers.ofString())
                                .statusCode())
                        .isEqualTo(200);
            }
            assertThat(time.waits).hasSize(2);
            assertThat(time.waits).allMatch(wait -> wait.compareTo(Duration.ofSeconds(60)) >= 0);
            assertThat(api.refused).hasValue(2);
        }
    }

    @Test
    void requestForWhichNothingIsLeft_isNotSentBefore() throws Exception {
        try (Weir weir = weir("limits: [{ name: calls, per: [user], rate: 10/min, algorithm: fixed-window }]");
                Api api = Api.limitedBy(weir)) {
            RetryingHttpClient client =
                    builder().longestWait(Duration.ofMinutes(5)).build();
            for (int i = 0; i < 25; i++) {
                assertThat(client.send(api.request().build(), BodyHandlers.ofString())
                                .statusCode())
                        .isEqualTo(200);
            }
            assertThat(api.refused).as("refusals").hasValue(0);
            assertThat(time.waits).hasSize(2);
        }
    }

    @Test
    void pacing_isByLimit_andOtherPathsGoOn() throws Exception {
        try (Weir weir = weir("limits: [{ name: calls, match: { path: /slow }, per: [user], rate: 1/hour }]");
                Api api = Api.limitedBy(weir)) {
            time.isHeld = true;
            RetryingHttpClient client =
                    builder().longestWait(Duration.ofHours(2)).build();
            client.send(api.request("/slow").build(), BodyHandlers.ofString());
            CompletableFuture<HttpResponse<String>> second =
                    client.sendAsync(api.request("/slow").build(), BodyHandlers.ofString());
            assertThat(time.held).hasSize(1);
            assertThat(client.send(api.request("/fast").build(), BodyHandlers.ofString())
                            .statusCode())
                    .isEqualTo(200);
            assertThat(second).isNotDone();
            time.clock.advance(Duration.ofHours(1));
            time.held.get(0).complete(null);
            assertThat(second.get(90, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
        }
    }

    @Test
    void manyAtOnce_allGetTheirTurn_andTheServerIsAskedLittleMoreThanItGives() throws Exception {
        try (Weir weir = Weir.inMemory(
                        configuration("limits: [{ name: calls, per: [user], rate: 40/s, algorithm: fixed-window }]"));
                Api api = Api.limitedBy(weir)) {
            RetryingHttpClient client = RetryingHttpClient.builder(HTTP)
                    .attempts(20)
                    .longestWait(Duration.ofSeconds(40))
                    .build();
            client.send(api.request().build(), BodyHandlers.discarding());
            List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
            for (int i = 0; i < 120; i++) {
                all.add(client.sendAsync(api.request().build(), BodyHandlers.ofString()));
            }
            for (CompletableFuture<HttpResponse<String>> one : all) {
                assertThat(one.get(90, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
            }
            assertThat(api.refused.get()).as("refusals").isLessThan(120);
        }
    }

    @Test
    void waitThatIsNotNamed_isNotGuessed() throws Exception {
        try (Weir weir = weir("limits: [{ name: closed, per: [user], rate: 0/min }]");
                Api api = Api.limitedBy(weir)) {
            assertThat(builder()
                            .build()
                            .send(api.request().build(), BodyHandlers.ofString())
                            .statusCode())
                    .isEqualTo(429);
            assertThat(time.waits).isEmpty();
            assertThat(api.answered()).isEqualTo(1);
        }
    }

    @Test
    void attemptsAndPatience_haveAnEnd() throws Exception {
        try (Api api = new Api((exchange, count) -> List.of("429", "Retry-After", "5"))) {
            assertThat(status(builder().attempts(3), api)).isEqualTo(429);
            assertThat(api.answered()).isEqualTo(3);
            assertThat(status(builder().attempts(99).longestWait(Duration.ofSeconds(17)), api))
                    .isEqualTo(429);
            assertThat(api.answered()).as("at 0, 5 and 10 s and a little").isLessThanOrEqualTo(3 + 4);
            assertThat(status(builder().longestWait(Duration.ofSeconds(4)), api))
                    .isEqualTo(429);
        }
    }

    @Test
    void anyMethodIsRepeatedAfter429_withItsBody() throws Exception {
        try (Api api = new Api((exchange, count) -> count == 1 ? List.of("429", "Retry-After", "1") : List.of("200"))) {
            HttpRequest post =
                    api.request().POST(BodyPublishers.ofString("hello")).build();
            assertThat(builder().build().send(post, BodyHandlers.ofString()).statusCode())
                    .isEqualTo(200);
            assertThat(api.bodies).containsExactly("hello", "hello");
        }
    }

    @Test
    void bodyThatIsAStream_isSentOnce_unlessTheCallerSaysOtherwise() throws Exception {
        try (Api api = new Api((exchange, count) -> List.of("429", "Retry-After", "1"))) {
            HttpRequest post = api.request()
                    .POST(BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(new byte[3])))
                    .build();
            builder().build().send(post, BodyHandlers.discarding());
            assertThat(api.answered()).isEqualTo(1);
            builder().repeating(request -> true).build().send(post, BodyHandlers.discarding());
            assertThat(api.answered()).isEqualTo(1 + 4);
        }
    }

    @Test
    void after503_onlyWhatHasTheSameEffectTwice_isRepeated() throws Exception {
        try (Api api = new Api((exchange, count) -> List.of("503", "Retry-After", "1"))) {
            HttpRequest post = api.request().POST(BodyPublishers.ofString("x")).build();
            assertThat(sent(api, post)).isEqualTo(1);
            HttpRequest keyed = api.request()
                    .POST(BodyPublishers.ofString("x"))
                    .header("Idempotency-Key", "k1")
                    .build();
            assertThat(sent(api, keyed)).isEqualTo(4);
            assertThat(sent(api, api.request().GET().build())).isEqualTo(4);
            assertThat(sent(api, api.request().DELETE().build())).isEqualTo(4);
            assertThat(sent(
                            api,
                            api.request()
                                    .method("HEAD", BodyPublishers.noBody())
                                    .build()))
                    .isEqualTo(4);
        }
    }

    @Test
    void hostileHeaders_areBounded() throws Exception {
        List<List<String>> speeches = List.of(
                List.of("429", "Retry-After", "99999999999999999999999"),
                List.of("429", "Retry-After", "999999999999999"),
                List.of("429", "Retry-After", "-5"),
                List.of("429", "Retry-After", "soon"),
                List.of("429", "Retry-After", "1e9"),
                List.of("429", "RateLimit", "\"x\";r=0;t=999999999999999", "RateLimit-Policy", "\"x\";q=5"),
                List.of("429", "RateLimit", "\"x\";r=0;t=-1"),
                List.of("429", "RateLimit", "\"x;r=0", "RateLimit-Policy", ";;;==,,"),
                List.of("429", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "999999999999999"),
                List.of("429", "X-RateLimit-Remaining", "-7", "X-RateLimit-Reset", "x"),
                List.of("429", "X-RateLimit-Remaining", "0", "X-RateLimit-Limit", "0", "X-RateLimit-Reset", "1"),
                List.of("429", "Date", "yesterday", "Retry-After", "Thu, 99 Foo 2026 00:00:00 GMT"));
        for (List<String> speech : speeches) {
            try (Api api = new Api((exchange, count) -> speech)) {
                RetryingHttpClient client = builder().build();
                assertThat(client.send(api.request().build(), BodyHandlers.ofString())
                                .statusCode())
                        .as(speech.toString())
                        .isEqualTo(429);
                assertThat(time.waits).as(speech.toString()).isEmpty();
                client.send(api.request().build(), BodyHandlers.ofString());
                assertThat(api.answered()).as(speech.toString()).isEqualTo(2);
            }
        }
    }

    @Test
    void usedUpForAges_doesNotStopAClientForGood() throws Exception {
        try (Api api = new Api((exchange, count) ->
                List.of("200", "RateLimit", "\"x\";r=0;t=999999999", "RateLimit-Policy", "\"x\";q=5;w=1"))) {
            RetryingHttpClient client = builder().build();
            for (int i = 0; i < 3; i++) {
                assertThat(client.send(api.request().build(), BodyHandlers.ofString())
                                .statusCode())
                        .isEqualTo(200);
            }
        }
    }

    @Test
    void cancelled_whileItWaits_isNotSentAgain() throws Exception {
        try (Api api = new Api((exchange, count) -> List.of("429", "Retry-After", "5"))) {
            time.isHeld = true;
            CompletableFuture<HttpResponse<String>> answer =
                    builder().build().sendAsync(api.request().build(), BodyHandlers.ofString());
            await().until(() -> time.held.size() == 1);
            answer.cancel(true);
            assertThat(time.held.get(0)).isCancelled();
            assertThat(api.answered()).isEqualTo(1);
        }
    }

    @Test
    void interrupted_whileItWaits_throws() throws Exception {
        try (Api api = new Api((exchange, count) -> List.of("429", "Retry-After", "5"))) {
            time.isHeld = true;
            AtomicReference<Exception> thrown = new AtomicReference<>();
            Thread thread = new Thread(() -> {
                try {
                    builder().build().send(api.request().build(), BodyHandlers.ofString());
                } catch (Exception e) {
                    thrown.set(e);
                }
            });
            thread.start();
            await().until(() -> time.held.size() == 1);
            thread.interrupt();
            thread.join();
            assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
            assertThat(time.held.get(0)).isCancelled();
        }
    }

    @Test
    void bodiesThatNobodyReads_areClosed() throws Exception {
        try (Api api = new Api((exchange, count) -> count < 4 ? List.of("429", "Retry-After", "1") : List.of("200"))) {
            HttpResponse<InputStream> response =
                    builder().build().send(api.request().build(), BodyHandlers.ofInputStream());
            try (InputStream body = response.body()) {
                assertThat(new String(body.readAllBytes(), StandardCharsets.UTF_8))
                        .isEqualTo("answer 4");
            }
        }
    }

    @Test
    void failureOfTheNetwork_isTold() {
        HttpRequest nowhere =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:1/")).build();
        assertThatThrownBy(() -> builder().build().send(nowhere, BodyHandlers.ofString()))
                .isInstanceOf(ConnectException.class);
    }

    private int sent(Api api, HttpRequest request) throws Exception {
        int before = api.answered();
        builder().build().send(request, BodyHandlers.discarding());
        return api.answered() - before;
    }

    private static int status(RetryingHttpClient.Builder how, Api api) throws Exception {
        return how.build().send(api.request().build(), BodyHandlers.ofString()).statusCode();
    }

    private RetryingHttpClient.Builder builder() {
        return RetryingHttpClient.builder(HTTP).by(time, () -> 0.5);
    }

    private Weir weir(String limits) {
        return Weir.of(
                configuration(limits),
                MemoryStore.create(MemoryStoreOptions.defaults().timeSource(time.clock)),
                new InMemorySettings());
    }

    private static dev.weir.engine.config.Configuration configuration(String limits) {
        return new ConfigurationReader(name -> null)
                .read("test.yaml", "version: 1\n" + limits)
                .orThrow();
    }
}
