package dev.weir.store.durableobjects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.weir.Charge;
import dev.weir.Key;
import dev.weir.StoreException;
import dev.weir.TokenBucket;
import dev.weir.store.scripted.ScriptClock;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A hostile server in place of the worker: no response of it admits by accident, fills memory, or reveals the token.
 */
@Tag("io")
class HostileWorkerTest {
    private static final String TOKEN = "S3CRET-of-the-worker";
    private static final List<Charge> CHARGES =
            List.of(Charge.of(Key.of("hostile", "u1"), TokenBucket.of(10, 1, Duration.ofHours(1))));

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private HttpServer server;
    private DurableObjectsStore store;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.start();
        DurableObjectsStoreOptions options = options().withTimeout(Duration.ofSeconds(5));
        store = new DurableObjectsStore(new WorkerLink(new WorkerClient(options)), options, ScriptClock.running());
    }

    @AfterEach
    void stop() {
        store.close();
        server.stop(0);
        threads.shutdownNow();
    }

    private DurableObjectsStoreOptions options() {
        return DurableObjectsStoreOptions.parse(
                "durable-objects+http://127.0.0.1:" + server.getAddress().getPort() + "?token=" + TOKEN);
    }

    @Test
    void consume_answeredWithNothing_fails() {
        answer(200, new byte[0]);
        assertThat(failure().retryable()).isFalse();
    }

    @Test
    void consume_answeredWithATruncatedReply_fails() {
        byte[] reply = new byte[16];
        reply[14] = 1;
        answer(200, reply);
        assertThat(failure()).hasMessageContaining("an invalid answer");
    }

    @Test
    void consume_answeredWithAnUnknownKind_fails() {
        byte[] reply = new byte[64];
        reply[14] = 77;
        answer(200, reply);
        assertThat(failure()).hasMessageContaining("an invalid answer");
    }

    @Test
    void consume_answeredWithAnAnswerToSomethingElse_fails() {
        byte[] reply = new byte[16];
        reply[14] = 2;
        reply[15] = 1;
        answer(200, reply);
        assertThat(failure()).hasMessageContaining("could not be used");
    }

    @Test
    void consume_answeredWithMoreThanThereIsToSay_readsNoFurther() {
        AtomicInteger sent = new AtomicInteger();
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, 0);
            byte[] megabyte = new byte[1 << 20];
            try (OutputStream out = exchange.getResponseBody()) {
                for (int i = 0; i < 500; i++) {
                    out.write(megabyte);
                    sent.incrementAndGet();
                }
            }
        });
        assertThat(failure()).hasMessageContaining("more than 4194304 bytes");
        assertThat(sent.get()).isLessThan(100);
    }

    @Test
    void consume_answeredWithLessThanWasPromised_fails() {
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, 100);
            exchange.getResponseBody().write(new byte[10]);
            exchange.getResponseBody().flush();
            exchange.close();
        });
        assertThat(failure().retryable()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {301, 302, 307, 308})
    void consume_answeredWithARedirect_followsNowhere(int status) {
        AtomicInteger elsewhere = new AtomicInteger();
        server.createContext("/elsewhere", exchange -> elsewhere.incrementAndGet());
        server.createContext("/v1", exchange -> {
            exchange.getResponseHeaders().add("Location", "/elsewhere");
            respond(exchange, status, new byte[0]);
        });
        StoreException failure = failure();
        assertThat(failure).hasMessageContaining("leads elsewhere");
        assertThat(failure.retryable()).isFalse();
        assertThat(elsewhere).hasValue(0);
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 401, 403, 404, 413, 422})
    void consume_thatIsRefused_isNotWorthARetry(int status) {
        answer(status, ("no: " + TOKEN + "\r\nforged: line").getBytes(StandardCharsets.UTF_8));
        assertThat(failure().retryable()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {429, 500, 502, 503, 530})
    void consume_ofAWorkerInTrouble_isWorthARetry(int status) {
        answer(status, ("sorry, " + TOKEN).getBytes(StandardCharsets.UTF_8));
        assertThat(failure().retryable()).isTrue();
    }

    @Test
    void consume_answeredByAnotherProtocol_fails() {
        server.createContext("/", exchange -> {
            exchange.getResponseHeaders().add("Weir-Protocol", "3");
            respond(exchange, 200, new byte[0]);
        });
        assertThatThrownBy(() -> DurableObjectsStore.open(options()))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("uses protocol 3, not 2; deploy the worker that belongs to this version");
    }

    @Test
    void open_whereNobodyListens_saysWhere() {
        DurableObjectsStoreOptions options = options();
        server.stop(0);
        assertThatThrownBy(() -> DurableObjectsStore.open(options))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("the worker at 127.0.0.1:" + options.port() + " cannot be reached");
    }

    /** The failure of a decision; no word of it is the token. */
    private StoreException failure() {
        StoreException failure = catchThrowableOfType(
                StoreException.class, () -> store.consume(CHARGES).await(Duration.ofSeconds(20)));
        assertThat(failure).isNotNull();
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            assertThat(String.valueOf(cause.getMessage())).doesNotContain(TOKEN).doesNotContain("\n");
        }
        return failure;
    }

    private void answer(int status, byte[] body) {
        server.createContext("/", exchange -> respond(exchange, status, body));
    }

    private static void respond(HttpExchange exchange, int status, byte[] body) throws IOException {
        exchange.getRequestBody().readAllBytes();
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }
}
