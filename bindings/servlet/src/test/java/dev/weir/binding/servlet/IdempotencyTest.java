package dev.weir.binding.servlet;

import static dev.weir.binding.servlet.App.weir;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.Answer;
import dev.weir.Key;
import dev.weir.StoreException;
import dev.weir.engine.Weir;
import dev.weir.engine.idempotency.MemoryResponseStore;
import dev.weir.remote.Promise;
import dev.weir.spi.idempotency.BeginResult;
import dev.weir.spi.idempotency.ResponseStore;
import jakarta.servlet.AsyncContext;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Requests with an idempotency key, in real containers over real sockets. */
@Tag("io")
@ParameterizedClass
@EnumSource(Container.class)
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class IdempotencyTest {
    private final Container container;
    private final MemoryResponseStore responses = new MemoryResponseStore();
    private final Weir weir = weir("limits: [{ name: general, per: [ip], rate: 10/hour }]");
    private final AtomicInteger done = new AtomicInteger();

    IdempotencyTest(Container container) {
        this.container = container;
    }

    @AfterEach
    void close() {
        weir.close();
        responses.close();
    }

    private WeirFilter filter() {
        return filter(Idempotency.with(responses));
    }

    private WeirFilter filter(Idempotency idempotency) {
        return WeirFilter.builder(weir).idempotency(idempotency).build();
    }

    private void count(
            jakarta.servlet.http.HttpServletRequest request, jakarta.servlet.http.HttpServletResponse response)
            throws Exception {
        response.setStatus(201);
        response.setContentType("text/plain;charset=UTF-8");
        response.addHeader("X-Own", "a");
        response.addHeader("X-Own", "b");
        response.addHeader("Set-Cookie", "secret=1");
        response.getWriter().write("done " + done.incrementAndGet() + " é");
    }

    private static String remaining(HttpResponse<?> response) {
        return response.headers().firstValue("X-RateLimit-Remaining").orElse(null);
    }

    @Test
    void aRepeatedRequest_isAnsweredTheSameWithoutSpending() throws Exception {
        try (App app = App.start(container, this::count, filter())) {
            HttpResponse<String> first = app.post("/pay?a=1", "{\"sum\":5}", "Idempotency-Key", "k1");
            assertThat(first.statusCode()).isEqualTo(201);
            assertThat(remaining(first)).isEqualTo("9");
            app.post("/other", "");
            HttpResponse<String> again = app.post("/pay?a=1", "{\"sum\":5}", "Idempotency-Key", "\"k1\"");
            assertThat(again.statusCode()).isEqualTo(201);
            assertThat(again.body()).isEqualTo(first.body()).isEqualTo("done 1 é");
            assertThat(again.headers().allValues("X-Own")).containsExactly("a", "b");
            assertThat(again.headers().firstValue("Content-Type"))
                    .isEqualTo(first.headers().firstValue("Content-Type"));
            assertThat(again.headers().firstValue("Set-Cookie")).isEmpty();
            assertThat(again.headers().firstValue("Idempotency-Replayed")).contains("true");
            // The current state, including the other request.
            assertThat(remaining(again)).isEqualTo("8");
            assertThat(remaining(app.post("/pay?a=1", "{\"sum\":5}", "Idempotency-Key", "k1")))
                    .isEqualTo("8");
            assertThat(app.served).hasValue(2);
        }
    }

    @Test
    void aRepeatedRequest_isAnsweredEvenWhenTheLimitIsUsedUp() throws Exception {
        try (App app = App.start(container, this::count, filter())) {
            app.post("/pay", "x", "Idempotency-Key", "k1");
            for (int i = 0; i < 9; i++) {
                app.post("/pay", "x");
            }
            assertThat(app.post("/pay", "x").statusCode()).isEqualTo(429);
            HttpResponse<String> again = app.post("/pay", "x", "Idempotency-Key", "k1");
            assertThat(again.statusCode()).isEqualTo(201);
            assertThat(remaining(again)).isEqualTo("0");
            assertThat(again.headers().firstValue("Retry-After")).isEmpty();
            // A new request is refused, and its key is free afterwards.
            assertThat(app.post("/pay", "x", "Idempotency-Key", "k2").statusCode())
                    .isEqualTo(429);
            assertThat(responses.size()).isEqualTo(1);
        }
    }

    @Test
    void aKeyForAnotherRequest_isRefused() throws Exception {
        try (App app = App.start(container, this::count, filter())) {
            app.post("/pay", "5", "Idempotency-Key", "k1");
            assertThat(app.post("/pay", "6", "Idempotency-Key", "k1").statusCode())
                    .isEqualTo(422);
            HttpResponse<String> elsewhere = app.post("/refund", "5", "Idempotency-Key", "k1");
            assertThat(elsewhere.statusCode()).isEqualTo(422);
            assertThat(elsewhere.body()).contains("\"error\":\"idempotency_key_reused\"");
            assertThat(remaining(app.post("/pay", "7"))).isEqualTo("8");
        }
    }

    @Test
    void keysThatAreNone_areRefused_andMissingOnesWhereRequired() throws Exception {
        Idempotency required = Idempotency.with(responses).requiring();
        try (App app = App.start(container, this::count, filter(required))) {
            assertThat(app.post("/pay", "5").statusCode()).isEqualTo(400);
            assertThat(app.post("/pay", "5", "Idempotency-Key", "").statusCode())
                    .isEqualTo(400);
            assertThat(app.post("/pay", "5", "Idempotency-Key", "k".repeat(256)).statusCode())
                    .isEqualTo(400);
            assertThat(app.post("/pay", "5", "Idempotency-Key", "a", "Idempotency-Key", "b")
                            .statusCode())
                    .isEqualTo(400);
            assertThat(app.get("/pay").statusCode()).isEqualTo(201);
            assertThat(app.served).hasValue(1);
        }
    }

    @Test
    void aFailure_freesTheKey() throws Exception {
        App.Work failing = (request, response) -> {
            switch (done.incrementAndGet()) {
                case 1 -> throw new IllegalStateException("a failure that the test wants");
                case 2 -> response.sendError(503);
                case 3 -> response.setStatus(500);
                default -> response.getWriter().write("well");
            }
        };
        try (App app = App.start(container, failing, filter())) {
            assertThat(app.post("/pay", "5", "Idempotency-Key", "k").statusCode())
                    .isEqualTo(500);
            assertThat(app.post("/pay", "5", "Idempotency-Key", "k").statusCode())
                    .isEqualTo(503);
            assertThat(app.post("/pay", "5", "Idempotency-Key", "k").statusCode())
                    .isEqualTo(500);
            assertThat(app.post("/pay", "5", "Idempotency-Key", "k").body()).isEqualTo("well");
            assertThat(app.post("/pay", "5", "Idempotency-Key", "k").body()).isEqualTo("well");
            assertThat(done).hasValue(4);
        }
    }

    @Test
    void anErrorPage_isMadeAgain() throws Exception {
        App.Work missing = (request, response) -> response.sendError(404);
        try (App app = App.start(container, missing, filter())) {
            HttpResponse<String> first = app.post("/pay", "5", "Idempotency-Key", "k");
            HttpResponse<String> again = app.post("/pay", "5", "Idempotency-Key", "k");
            assertThat(again.statusCode()).isEqualTo(404);
            assertThat(again.body()).isEqualTo(first.body());
            assertThat(app.served).hasValue(1);
        }
    }

    @Test
    void aSecondRequestInFlight_isToldSo_orWaits() throws Exception {
        CountDownLatch arrived = new CountDownLatch(2);
        CountDownLatch goOn = new CountDownLatch(1);
        App.Work slow = (request, response) -> {
            arrived.countDown();
            goOn.await();
            response.getWriter().write("slow " + done.incrementAndGet());
        };
        Idempotency waiting = Idempotency.with(responses).waiting(Duration.ofSeconds(20));
        try (App impatient = App.start(container, slow, filter());
                App patient = App.start(container, slow, filter(waiting))) {
            var first = impatient.sendLater("POST", "/pay", "5", "Idempotency-Key", "k");
            await().until(() -> arrived.getCount() == 1);
            HttpResponse<String> second = impatient.post("/pay", "5", "Idempotency-Key", "k");
            assertThat(second.statusCode()).isEqualTo(409);
            assertThat(second.headers().firstValue("Retry-After")).contains("1");

            var other = patient.sendLater("POST", "/pay", "5", "Idempotency-Key", "other");
            await().until(() -> arrived.getCount() == 0);
            CompletableFuture<HttpResponse<String>> repeated =
                    patient.sendLater("POST", "/pay", "5", "Idempotency-Key", "other");
            goOn.countDown();
            assertThat(first.get().statusCode()).isEqualTo(200);
            assertThat(repeated.get().body()).isEqualTo(other.get().body());
            assertThat(done).hasValue(2);
        }
    }

    @Test
    void aResponseThatIsTooLarge_isSentWhole_andNotDoneTwice() throws Exception {
        App.Work large = (request, response) -> {
            for (int i = 0; i < 100; i++) {
                response.getOutputStream().write("x".repeat(1000).getBytes());
                response.flushBuffer();
            }
        };
        Idempotency small = Idempotency.with(responses).withLargest(1000, 10_000);
        try (App app = App.start(container, large, filter(small))) {
            assertThat(app.post("/pay", "5", "Idempotency-Key", "k").body()).hasSize(100_000);
            HttpResponse<String> again = app.post("/pay", "5", "Idempotency-Key", "k");
            assertThat(again.statusCode()).isEqualTo(409);
            assertThat(again.body()).contains("too large to be stored");
            assertThat(app.served).hasValue(1);
            assertThat(app.post("/pay", "y".repeat(2000), "Idempotency-Key", "l")
                            .statusCode())
                    .isEqualTo(413);
        }
    }

    @Test
    void asynchronousResponses_areRememberedHoweverTheyEnd() throws Exception {
        App.Work async = (request, response) -> {
            String how = request.getParameter("how");
            if (how.equals("dispatch") && request.getAttribute("again") != null) {
                response.getWriter().write("dispatched " + done.incrementAndGet());
                return;
            }
            AsyncContext context = request.startAsync();
            switch (how) {
                case "complete" ->
                    context.start(() -> {
                        try {
                            context.getResponse().getWriter().write("completed " + done.incrementAndGet());
                        } catch (java.io.IOException e) {
                            throw new java.io.UncheckedIOException(e);
                        }
                        context.complete();
                    });
                case "dispatch" -> {
                    request.setAttribute("again", true);
                    context.dispatch();
                }
                default -> {
                    done.incrementAndGet();
                    context.setTimeout(100);
                }
            }
        };
        try (App app = App.start(container, async, filter())) {
            for (String how : new String[] {"complete", "dispatch"}) {
                HttpResponse<String> first = app.post("/pay?how=" + how, "5", "Idempotency-Key", how);
                assertThat(first.statusCode()).as(how).isEqualTo(200);
                assertThat(remaining(first)).isNotNull();
                HttpResponse<String> again = app.post("/pay?how=" + how, "5", "Idempotency-Key", how);
                assertThat(again.body()).as(how).isEqualTo(first.body());
            }
            assertThat(done).hasValue(2);
            assertThat(app.post("/pay?how=timeout", "5", "Idempotency-Key", "t").statusCode())
                    .isEqualTo(500);
            await().until(() -> responses.size() == 2);
            assertThat(app.post("/pay?how=timeout", "5", "Idempotency-Key", "t").statusCode())
                    .isEqualTo(500);
            assertThat(done).hasValue(4);
        }
    }

    @Test
    void nobody_isShownAnothersResponse() throws Exception {
        WeirFilter filter = WeirFilter.builder(weir)
                .attribute("user", Extractor.principal())
                .idempotency(Idempotency.with(responses))
                .build();
        App.Work own = (request, response) ->
                response.getWriter().write("for " + request.getUserPrincipal().getName());
        try (App app = App.start(container, own, filter, App.authentication(), filter.afterAuthentication())) {
            assertThat(app.post("/pay", "5", "Idempotency-Key", "k", "X-Login", "ann")
                            .body())
                    .isEqualTo("for ann");
            assertThat(app.post("/pay", "5", "Idempotency-Key", "k", "X-Login", "bob")
                            .body())
                    .isEqualTo("for bob");
            HttpResponse<String> again = app.post("/pay", "5", "Idempotency-Key", "k", "X-Login", "ann");
            assertThat(again.body()).isEqualTo("for ann");
            // The charge of the first stage was given back.
            assertThat(remaining(again)).isEqualTo("8");
            assertThat(app.post("/pay", "5", "Idempotency-Key", "k").statusCode())
                    .isEqualTo(401);
        }
    }

    @Test
    void aStoreOfResponsesThatFails_isNotGuessedFor() throws Exception {
        ResponseStore broken = new ResponseStore() {
            @Override
            public Answer<BeginResult> begin(Key key, byte[] request, Duration processingTimeout) {
                return Promise.failed(new StoreException("gone", true, null));
            }

            @Override
            public Answer<Boolean> complete(Key key, String token, byte[] response, Duration ttl) {
                throw new AssertionError("nothing was begun");
            }

            @Override
            public Answer<Boolean> abandon(Key key, String token) {
                throw new AssertionError("nothing was begun");
            }

            @Override
            public void close() {}
        };
        try (App app = App.start(container, this::count, filter(Idempotency.with(broken)))) {
            HttpResponse<String> response = app.post("/pay", "5", "Idempotency-Key", "k");
            assertThat(response.statusCode()).isEqualTo(503);
            assertThat(response.headers().firstValue("Retry-After")).contains("60");
            assertThat(app.served).hasValue(0);
            assertThat(remaining(app.post("/pay", "5"))).isEqualTo("9");
        }
    }
}
