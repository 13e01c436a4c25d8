package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.engine.connection.ConnectionLimits;
import dev.weir.spring.websocket.ConnectionAttributes;
import dev.weir.spring.websocket.MessagePipelineCustomizer;
import dev.weir.spring.websocket.WeirWebSockets;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.socket.CloseStatus;
import org.springframework.web.socket.TextMessage;
import org.springframework.web.socket.WebSocketSession;
import org.springframework.web.socket.config.annotation.EnableWebSocket;
import org.springframework.web.socket.config.annotation.WebSocketConfigurer;
import org.springframework.web.socket.config.annotation.WebSocketHandlerRegistry;
import org.springframework.web.socket.handler.TextWebSocketHandler;

/** Spring's WebSockets, limited, on a real Tomcat. */
@Tag("io")
class WebSocketTest {
    private static final String[] LIMITS = {
        "weir.limits[0].name=connections",
        "weir.limits[0].per=user",
        "weir.limits[0].algorithm=concurrency",
        "weir.limits[0].rate=2",
        "weir.limits[1].name=messages",
        "weir.limits[1].match.channel=ws",
        "weir.limits[1].per[0]=user",
        "weir.limits[1].per[1]=type",
        "weir.limits[1].rate=3/hour"
    };

    /** An application's own handler, without code for limits. */
    static class Echo extends TextWebSocketHandler {
        final AtomicInteger open = new AtomicInteger();
        final AtomicInteger heard = new AtomicInteger();

        @Override
        public void afterConnectionEstablished(WebSocketSession session) {
            open.incrementAndGet();
        }

        @Override
        protected void handleTextMessage(WebSocketSession session, TextMessage message) throws Exception {
            heard.incrementAndGet();
            if (message.getPayload().contains("go away")) {
                session.close(CloseStatus.NORMAL);
            } else if (message.getPayload().contains("fail")) {
                throw new IllegalStateException("on purpose");
            } else {
                session.sendMessage(new TextMessage("echo " + message.getPayload()));
            }
        }

        @Override
        public void afterConnectionClosed(WebSocketSession session, CloseStatus status) {
            open.decrementAndGet();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableWebSocket
    @Import(TomcatWebSockets.class)
    static class Application implements WebSocketConfigurer {
        private final Echo echo = new Echo();
        private final org.springframework.beans.factory.ObjectProvider<WeirWebSockets> limits;

        Application(org.springframework.beans.factory.ObjectProvider<WeirWebSockets> limits) {
            this.limits = limits;
        }

        @Override
        public void registerWebSocketHandlers(WebSocketHandlerRegistry registry) {
            WeirWebSockets weir = limits.getObject();
            registry.addHandler(weir.limit(echo), "/echo").addInterceptors(weir.handshake());
            registry.addHandler(weir.limit(echo), "/unguarded");
        }

        @Bean
        Echo echo() {
            return echo;
        }

        @Bean
        ConnectionAttributes who() {
            return handshake -> {
                String user = handshake.getHeaders().getFirst("X-User");
                return user == null ? Map.of() : Map.of("user", user);
            };
        }

        @Bean
        MessagePipelineCustomizer small() {
            return pipeline -> pipeline.payloadUpTo(2000);
        }

        @Bean
        SecurityFilterChain security(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .build();
        }
    }

    @Test
    void messages_beyondTheLimit_neverReachTheHandler_andTheConnectionLives() throws Exception {
        try (App app = App.servlet(Application.class, LIMITS)) {
            Client ann = Client.open(app, "/echo", "ann");
            for (int i = 0; i < 5; i++) {
                ann.send("{\"type\":\"say\"}");
            }
            List<String> answers = ann.next(5);

            assertThat(answers.subList(0, 3)).allMatch(answer -> answer.startsWith("echo "));
            assertThat(answers.subList(3, 5)).allMatch(answer -> answer.contains("RESOURCE_EXHAUSTED"));
            assertThat(app.bean(Echo.class).heard).hasValue(3);
            ann.send("{\"type\":\"sing\"}");
            assertThat(ann.next(1).get(0)).startsWith("echo ");
            ann.send("no json");
            assertThat(ann.next(1).get(0)).contains("INVALID_ARGUMENT");
            ann.send("{\"type\":\"fail\"}");
            assertThat(ann.next(1).get(0)).contains("INTERNAL");
            ann.send("{\"type\":\"x\",\"text\":\"" + "ä".repeat(1500) + "\"}");
            assertThat(ann.next(1).get(0)).contains("2000 bytes");
        }
    }

    @Test
    void handshakes_beyondTheSlots_areAnswered429_alsoAllAtOnce() throws Exception {
        try (App app = App.servlet(Application.class, LIMITS)) {
            List<CompletableFuture<Client>> all = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                all.add(Client.connect(app, "/echo", "ann"));
            }
            int opened = 0;
            HttpResponse<?> refusal = null;
            for (CompletableFuture<Client> one : all) {
                try {
                    one.join();
                    opened++;
                } catch (CompletionException e) {
                    refusal = ((WebSocketHandshakeException) e.getCause()).getResponse();
                }
            }
            assertThat(opened).isEqualTo(2);
            assertThat(refusal.statusCode()).isEqualTo(429);
            assertThat(App.header(refusal, "X-RateLimit-Limit")).isEqualTo("2");
            Client.open(app, "/echo", "ben");
        }
    }

    @Test
    void slots_areReleasedAtEveryKindOfClose() throws Exception {
        try (App app = App.servlet(Application.class, LIMITS)) {
            ConnectionLimits slots = app.bean(ConnectionLimits.class);

            Client closing = Client.open(app, "/echo", "ann");
            assertThat(slots.open()).isEqualTo(1);
            closing.socket.sendClose(WebSocket.NORMAL_CLOSURE, "").join();
            released(app);

            Client aborting = Client.open(app, "/echo", "ann");
            aborting.socket.abort();
            released(app);

            Client sentAway = Client.open(app, "/echo", "ann");
            sentAway.send("{\"type\":\"go away\"}");
            released(app);

            Client huge = Client.open(app, "/echo", "ann");
            huge.send("x".repeat(100_000));
            released(app);

            raw(app, new byte[] {(byte) 0x81, 0x05, 'h', 'e', 'l', 'l', 'o'});
            released(app);

            // A handshake that fails after its slot was acquired.
            try (Socket socket = handshake(app, "99")) {
                assertThat(new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII))
                        .isNotEqualTo("HTTP/1.1 101");
            }
            released(app);
            assertThat(app.bean(Echo.class).open).hasValue(0);
        }
    }

    @Test
    void applicationThatEnds_releasesEverySlot() throws Exception {
        ConnectionLimits slots;
        try (App app = App.servlet(Application.class, LIMITS)) {
            slots = app.bean(ConnectionLimits.class);
            Client.open(app, "/echo", "ann");
            Client.open(app, "/echo", "ben");
            assertThat(slots.open()).isEqualTo(2);
        }
        assertThat(slots.open()).isZero();
    }

    @Test
    void endpointWithoutTheInterceptor_isClosed() throws Exception {
        try (App app = App.servlet(Application.class, LIMITS)) {
            Client ann = Client.open(app, "/unguarded", "ann");

            assertThat(ann.closed.get(90, TimeUnit.SECONDS)).isEqualTo(1011);
            assertThat(app.bean(Echo.class).open).hasValue(0);
        }
    }

    private static void released(App app) {
        await().untilAsserted(() ->
                assertThat(app.bean(ConnectionLimits.class).open()).isZero());
    }

    /** Opens a connection, violates the protocol, and disconnects without a close frame. */
    private static void raw(App app, byte[] frame) throws Exception {
        try (Socket socket = handshake(app, "13")) {
            assertThat(new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII))
                    .isEqualTo("HTTP/1.1 101");
            socket.getOutputStream().write(frame);
            socket.getOutputStream().flush();
        }
    }

    private static Socket handshake(App app, String version) throws Exception {
        Socket socket = new Socket("127.0.0.1", app.port());
        socket.setSoTimeout(90_000);
        OutputStream out = socket.getOutputStream();
        out.write(("GET /echo HTTP/1.1\r\nHost: 127.0.0.1:" + app.port() + "\r\nX-User: ann\r\nUpgrade: websocket\r\n"
                        + "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                        + "Sec-WebSocket-Version: " + version + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII));
        out.flush();
        return socket;
    }

    /** A client on the JDK's WebSocket. */
    private static final class Client implements WebSocket.Listener {
        private static final HttpClient HTTP = HttpClient.newHttpClient();

        final BlockingQueue<String> received = new LinkedBlockingQueue<>();
        final CompletableFuture<Integer> closed = new CompletableFuture<>();
        private final StringBuilder text = new StringBuilder();
        WebSocket socket;

        static Client open(App app, String path, String user) {
            return connect(app, path, user).join();
        }

        static CompletableFuture<Client> connect(App app, String path, String user) {
            Client client = new Client();
            return HTTP.newWebSocketBuilder()
                    .header("X-User", user)
                    .buildAsync(URI.create("ws://127.0.0.1:" + app.port() + path), client)
                    .thenApply(opened -> {
                        client.socket = opened;
                        return client;
                    });
        }

        void send(String message) {
            socket.sendText(message, true).join();
        }

        List<String> next(int count) throws InterruptedException {
            List<String> next = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                String one = received.poll(90, TimeUnit.SECONDS);
                assertThat(one).as("an answer").isNotNull();
                next.add(one);
            }
            return next;
        }

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                received.add(text.toString());
                text.setLength(0);
            }
            from.request(1);
            return null;
        }

        @Override
        public CompletionStage<?> onClose(WebSocket from, int code, String reason) {
            closed.complete(code);
            return null;
        }
    }
}
