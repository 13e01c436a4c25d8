package dev.weir.engine.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.weir.fixture.Ports;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("io")
@Timeout(300)
class WebhookSenderTest {
    private static final Clock CLOCK = Clock.fixed(Events.NOW, ZoneOffset.UTC);
    private static final CloudEvent EVENT = CloudEvent.of(Events.numbered(1), "/weir");

    record Received(String method, String uri, String body, Map<String, List<String>> headers) {}

    private final List<Received> received = new CopyOnWriteArrayList<>();
    /** The response statuses in order, then 200. */
    private final Queue<Integer> statuses = new ConcurrentLinkedQueue<>();

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        serve(server);
    }

    @AfterEach
    void stop() {
        server.stop(0);
        threads.shutdownNow();
    }

    @Test
    void send_accepted_arrivesOnceSigned() {
        try (WebhookSender sender = sender(options().withSecret("s3cret"))) {
            assertThat(sender.send(target("/hook?key=1"), EVENT)).isTrue();
            await().until(() -> sender.delivered() == 1);
            assertThat(sender.inFlight()).isZero();
        }

        assertThat(received).hasSize(1);
        Received one = received.get(0);
        assertThat(one.method()).isEqualTo("POST");
        assertThat(one.uri()).isEqualTo("/hook?key=1");
        assertThat(one.body()).isEqualTo(EVENT.json());
        assertThat(one.headers().get("Content-type")).containsExactly("application/cloudevents+json; charset=utf-8");
        assertThat(one.headers().get("X-weir-delivery")).containsExactly(EVENT.id());
        assertThat(one.headers().get("X-weir-signature"))
                .containsExactly(WebhookSender.signature("s3cret", 1767323045, EVENT.json()));
    }

    @Test
    void signature_knownVector_isHmacOverTimeAndBody() {
        // printf '1767323045.{"a":1}' | openssl dgst -sha256 -hmac s3cret
        assertThat(WebhookSender.signature("s3cret", 1767323045, "{\"a\":1}"))
                .isEqualTo("t=1767323045,v1=19deeee1dbf3e68132db6a4db41cfe324ecf01ea3d30e68ce4b483b0d0980d5c");
    }

    @Test
    void send_unsigned_hasNoSignature() {
        try (WebhookSender sender = sender(options())) {
            sender.send(target("/"), EVENT);
            await().until(() -> sender.delivered() == 1);
        }

        assertThat(received.get(0).headers()).doesNotContainKey("X-weir-signature");
    }

    @ParameterizedTest
    @ValueSource(ints = {408, 429, 500, 502, 503})
    void send_failsForNow_isTriedAgain(int status) {
        statuses.addAll(List.of(status, status));
        try (WebhookSender sender = sender(options())) {
            sender.send(target("/"), EVENT);
            await().until(() -> sender.delivered() == 1);
        }

        assertThat(received).hasSize(3);
        assertThat(received)
                .extracting(r -> r.headers().get("X-weir-delivery").get(0))
                .containsOnly(EVENT.id());
    }

    @ParameterizedTest
    @ValueSource(ints = {301, 302, 307, 308, 400, 401, 404, 410})
    void send_failsForGood_isTriedOnceAndNotRedirected(int status) {
        statuses.add(status);
        try (WebhookSender sender = sender(options())) {
            sender.send(target("/"), EVENT);
            await().until(() -> sender.failed() == 1);
            assertThat(sender.inFlight()).isZero();
        }

        assertThat(received).hasSize(1);
    }

    @Test
    void send_neverAccepted_isGivenUpAtTheDeadline() {
        for (int i = 0; i < 10_000; i++) {
            statuses.add(500);
        }
        try (WebhookSender sender = sender(options(Duration.ofSeconds(3), 10))) {
            sender.send(target("/"), EVENT);
            await().until(() -> sender.failed() == 1);
        }

        assertThat(received).hasSizeBetween(2, 3_000);
    }

    @Test
    void send_nobodyListens_isGivenUp() throws Exception {
        int port = Ports.reserve();
        try (WebhookSender sender = sender(options(Duration.ofMillis(50), 10))) {
            sender.send(WebhookTarget.parse("http://127.0.0.1:" + port + "/"), EVENT);
            await().until(() -> sender.failed() == 1);
        }
    }

    @Test
    void send_serverNeverAnswers_endsByTheTimeout() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
                WebhookSender sender = sender(new WebhookOptions(
                        null,
                        true,
                        10,
                        Duration.ofMillis(100),
                        Duration.ofMillis(1),
                        Duration.ofMillis(1),
                        Duration.ofMillis(50)))) {
            sender.send(WebhookTarget.parse("http://127.0.0.1:" + silent.getLocalPort() + "/"), EVENT);
            await().until(() -> sender.failed() == 1);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"SSH-2.0-OpenSSH\r\n", "HTTP/1.1 999 No\r\n", "HTTP/1.1 abc\r\n", "\n", "xxxxxxxxxxxxxxxx\n"})
    void send_answerIsNoHttp_isGivenUp(String answer) throws Exception {
        try (ServerSocket odd = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
                WebhookSender sender = sender(options(Duration.ofMillis(50), 10))) {
            threads.execute(() -> {
                while (!odd.isClosed()) {
                    try (var socket = odd.accept()) {
                        socket.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
                        socket.shutdownOutput();
                        socket.getInputStream().transferTo(OutputStream.nullOutputStream());
                    } catch (IOException e) {
                        // The client has closed the connection, or the test is over.
                    }
                }
            });
            sender.send(WebhookTarget.parse("http://127.0.0.1:" + odd.getLocalPort() + "/"), EVENT);
            await().until(() -> sender.failed() == 1);
        }
    }

    @Test
    void send_moreThanTheQueueHolds_isDroppedAtOnce() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        server.createContext("/slow", exchange -> {
            awaitQuietly(release);
            answer(exchange);
        });
        try (WebhookSender sender = sender(options(Duration.ofSeconds(20), 10))) {
            int taken = 0;
            for (int i = 0; i < 25; i++) {
                taken += sender.send(target("/slow"), EVENT) ? 1 : 0;
            }
            assertThat(taken).isEqualTo(10);
            assertThat(sender.dropped()).isEqualTo(15);

            release.countDown();
            await().until(() -> sender.delivered() == 10);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1",
                "localhost",
                "[::1]",
                "[::ffff:127.0.0.1]",
                "2130706433",
                "0.0.0.0",
                "169.254.169.254"
            })
    void send_addressNotPublic_isNeverCalled(String host) {
        WebhookOptions options = WebhookOptions.defaults();
        try (WebhookSender sender = new WebhookSender(
                options, InetAddress::getAllByName, (SSLSocketFactory) SSLSocketFactory.getDefault(), CLOCK)) {
            sender.send(
                    WebhookTarget.parse(
                            "http://" + host + ":" + server.getAddress().getPort() + "/"),
                    EVENT);
            await().until(() -> sender.failed() == 1);
        }

        assertThat(received).isEmpty();
    }

    @Test
    void send_nameWithPublicAndPrivateAddresses_isNeverCalled() throws Exception {
        InetAddress[] both = {
            InetAddress.getByAddress(new byte[] {8, 8, 8, 8}), InetAddress.getByAddress(new byte[] {127, 0, 0, 1})
        };
        try (WebhookSender sender = new WebhookSender(
                WebhookOptions.defaults(), host -> both, (SSLSocketFactory) SSLSocketFactory.getDefault(), CLOCK)) {
            sender.send(WebhookTarget.parse("https://hook.example/"), EVENT);
            await().until(() -> sender.failed() == 1);
        }
    }

    @Test
    void send_nameRebound_isLookedUpOnceAndConnectedThere() {
        AtomicInteger lookups = new AtomicInteger();
        WebhookPost.Resolver resolver = host -> {
            assertThat(host).isEqualTo("hook.example");
            lookups.incrementAndGet();
            return new InetAddress[] {InetAddress.getLoopbackAddress()};
        };
        try (WebhookSender sender =
                new WebhookSender(options(), resolver, (SSLSocketFactory) SSLSocketFactory.getDefault(), CLOCK)) {
            int port = server.getAddress().getPort();
            sender.send(WebhookTarget.parse("http://hook.example:" + port + "/"), EVENT);
            await().until(() -> sender.delivered() == 1);

            assertThat(lookups).hasValue(1);
            assertThat(received.get(0).headers().get("Host")).containsExactly("hook.example:" + port);
        }
    }

    @Test
    void send_tls_verifiesTheNameAlthoughTheAddressIsPinned(@TempDir Path directory) throws Exception {
        SSLContext tls = selfSigned(directory, "hook.example");
        HttpsServer secure = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        secure.setHttpsConfigurator(new HttpsConfigurator(tls));
        serve(secure);
        WebhookPost.Resolver resolver = host -> new InetAddress[] {InetAddress.getLoopbackAddress()};
        try (WebhookSender patient = new WebhookSender(
                        options(Duration.ofSeconds(90), 10), resolver, tls.getSocketFactory(), CLOCK);
                WebhookSender hasty = new WebhookSender(
                        options(Duration.ofSeconds(1), 10), resolver, tls.getSocketFactory(), CLOCK)) {
            int port = secure.getAddress().getPort();
            patient.send(WebhookTarget.parse("https://hook.example:" + port + "/right"), EVENT);
            await().until(() -> patient.delivered() == 1);
            hasty.send(WebhookTarget.parse("https://other.example:" + port + "/wrong"), EVENT);
            await().until(() -> hasty.failed() == 1);
        } finally {
            secure.stop(0);
        }

        assertThat(received).extracting(Received::uri).containsExactly("/right");
    }

    @Test
    void send_givenUp_logsNeitherPathNorQuery() {
        List<String> logged = new CopyOnWriteArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord entry) {
                logged.add(entry.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger(WebhookSender.class.getName());
        logger.addHandler(handler);
        statuses.add(404);
        try (WebhookSender sender = sender(options().withSecret("s3cret"))) {
            sender.send(target("/services/T0K3N?key=T0K3N"), EVENT);
            await().until(() -> !logged.isEmpty());
        } finally {
            logger.removeHandler(handler);
        }

        assertThat(String.join("\n", logged))
                .contains("http://127.0.0.1")
                .contains("status 404")
                .doesNotContain("T0K3N")
                .doesNotContain("s3cret");
        assertThat(options().withSecret("s3cret").toString()).doesNotContain("s3cret");
    }

    @Test
    void close_sendingStill_returnsByTheDeadline() {
        CountDownLatch release = new CountDownLatch(1);
        server.createContext("/slow", exchange -> awaitQuietly(release));
        WebhookSender sender = sender(options(Duration.ofSeconds(20), 10));
        sender.send(target("/slow"), EVENT);

        assertThat(sender.close(Duration.ofMillis(20))).isFalse();
        assertThat(sender.send(target("/"), EVENT)).isFalse();
        assertThat(sender.dropped()).isEqualTo(1);
        release.countDown();
    }

    @ParameterizedTest
    @CsvSource({
        "https://hook.example/a?b=c, https://hook.example, /a?b=c",
        "HTTP://Hook.Example, http://Hook.Example, /",
        "http://hook.example:8080?x, http://hook.example:8080, /?x",
        "https://[2606:4700::1]:8443/a%20b, https://[2606:4700::1]:8443, /a%20b",
        "https://hook.example/ü, https://hook.example, /%C3%BC",
        "https://hook.example/a#fragment, https://hook.example, /a",
    })
    void target_url_isTakenApart(String url, String shown, String path) {
        WebhookTarget target = WebhookTarget.parse(url);

        assertThat(target).hasToString(shown);
        assertThat(target.path()).isEqualTo(path);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "hook.example",
                "//hook.example/",
                "ftp://hook.example/s3cret",
                "file:///etc/s3cret",
                "http:///s3cret",
                "http://user:s3cret@hook.example/",
                "http://hook.example:0/s3cret",
                "http://hook.example:65536/s3cret",
                "http://hook.example/s3cret\r\nX: y",
                "http://hook_.example/s3cret x",
                "javascript:s3cret",
                "http://a b/s3cret",
                "http://[fe80::1%25eth0]/s3cret",
                "http://[::1/s3cret",
                "http://127.1/s3cret"
            })
    void target_badUrl_isRefusedWithoutRepeatingIt(String url) {
        assertThatThrownBy(() -> WebhookTarget.parse(url))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("webhook")
                .hasMessageNotContaining("s3cret")
                .hasNoCause();
    }

    private static WebhookOptions options() {
        return options(Duration.ofSeconds(20), 100);
    }

    private static WebhookOptions options(Duration deadline, int queue) {
        return new WebhookOptions(
                null, true, queue, Duration.ofSeconds(10), Duration.ofMillis(1), Duration.ofMillis(20), deadline);
    }

    private static WebhookSender sender(WebhookOptions options) {
        return new WebhookSender(
                options, InetAddress::getAllByName, (SSLSocketFactory) SSLSocketFactory.getDefault(), CLOCK);
    }

    private WebhookTarget target(String path) {
        return WebhookTarget.parse("http://127.0.0.1:" + server.getAddress().getPort() + path);
    }

    private void serve(HttpServer on) {
        on.setExecutor(threads);
        on.createContext("/", this::answer);
        on.start();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange;
                InputStream in = exchange.getRequestBody()) {
            String body = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            Integer status = statuses.poll();
            received.add(new Received(
                    exchange.getRequestMethod(),
                    exchange.getRequestURI().toString(),
                    body,
                    exchange.getRequestHeaders()));
            exchange.getResponseHeaders().add("Location", "/elsewhere");
            exchange.sendResponseHeaders(status == null ? 200 : status, -1);
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A context that has, and trusts, one certificate for this name. */
    private static SSLContext selfSigned(Path directory, String name) throws Exception {
        Path file = directory.resolve("keys.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "hook",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=" + name,
                        "-ext",
                        "san=dns:" + name,
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        file.toString(),
                        "-storepass",
                        "changeit")
                .redirectErrorStream(true)
                .start();
        keytool.getInputStream().readAllBytes();
        assertThat(keytool.waitFor()).isZero();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            keys.load(in, "changeit".toCharArray());
        }
        KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        own.init(keys, "changeit".toCharArray());
        TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(keys);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(own.getKeyManagers(), trusted.getTrustManagers(), null);
        return context;
    }
}
