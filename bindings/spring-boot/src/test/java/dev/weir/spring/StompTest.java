package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.engine.Weir;
import dev.weir.engine.connection.ConnectionLimits;
import dev.weir.spring.websocket.WeirWebSockets;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.messaging.handler.annotation.MessageMapping;
import org.springframework.messaging.simp.config.MessageBrokerRegistry;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.stereotype.Controller;
import org.springframework.web.socket.config.annotation.EnableWebSocketMessageBroker;
import org.springframework.web.socket.config.annotation.StompEndpointRegistry;
import org.springframework.web.socket.config.annotation.WebSocketMessageBrokerConfigurer;

/** Limits on STOMP frames, with a hand-written STOMP client, on a real Tomcat. */
@Tag("io")
class StompTest {
    private static final String[] LIMITS = {
        "weir.limits[0].name=connections",
        "weir.limits[0].per=ip",
        "weir.limits[0].algorithm=concurrency",
        "weir.limits[0].rate=2",
        "weir.limits[1].name=sends",
        "weir.limits[1].match.type=SEND",
        "weir.limits[1].match.path=/app/**",
        "weir.limits[1].per=ip",
        "weir.limits[1].rate=3/hour",
        "weir.limits[2].name=subscriptions",
        "weir.limits[2].match.type=SUBSCRIBE",
        "weir.limits[2].per=connection",
        "weir.limits[2].rate=1/hour"
    };

    @Controller
    static class Rooms {
        final AtomicInteger heard = new AtomicInteger();

        final AtomicInteger free = new AtomicInteger();

        @MessageMapping({"/say", "/rooms/{room}", "/rooms/{room}/send"})
        void say(byte[] text) {
            heard.incrementAndGet();
        }

        @MessageMapping("/free")
        void free(byte[] text) {
            free.incrementAndGet();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableWebSocketMessageBroker
    @Import({TomcatWebSockets.class, Rooms.class})
    static class Application implements WebSocketMessageBrokerConfigurer {
        private final ObjectProvider<WeirWebSockets> limits;

        Application(ObjectProvider<WeirWebSockets> limits) {
            this.limits = limits;
        }

        @Override
        public void registerStompEndpoints(StompEndpointRegistry registry) {
            registry.addEndpoint("/stomp").addInterceptors(limits.getObject().handshake());
            registry.addEndpoint("/free");
        }

        @Override
        public void configureMessageBroker(MessageBrokerRegistry registry) {
            registry.enableSimpleBroker("/topic", "/queue");
            registry.setApplicationDestinationPrefixes("/app");
        }

        @Bean
        SecurityFilterChain security(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .build();
        }
    }

    @Test
    void framesBeyondTheLimit_areDropped_theSenderIsTold_andTheConnectionLives() throws Exception {
        try (App app = App.servlet(Application.class, LIMITS)) {
            Client client = Client.open(app, "/stomp");
            client.send("SUBSCRIBE\nid:0\ndestination:/user/queue/rate-limits\n\n");
            client.send("SUBSCRIBE\nid:1\ndestination:/topic/a\n\n");
            // The broker registers subscriptions asynchronously.
            await().until(() -> {
                client.send("SUBSCRIBE\nid:2\ndestination:/topic/b\n\n");
                return client.hears("refused:SUBSCRIBE", 300);
            });

            for (int i = 0; i < 5; i++) {
                client.send("SEND\ndestination:/app/say\n\nhello");
            }
            assertThat(client.hears("refused:SEND", 10_000)).isTrue();
            assertThat(client.hears("refused:SEND", 10_000)).isTrue();
            await().untilAsserted(() -> assertThat(app.bean(Rooms.class).heard).hasValue(3));
            // Another destination has another budget.
            client.send("SEND\ndestination:/topic/a\n\nto all");
            assertThat(client.hears("to all", 10_000)).isTrue();
        }
    }

    /** A path is compared in full, whatever its length. */
    @Test
    void longDestinations_meetTheirLimit() throws Exception {
        try (App app = App.servlet(Application.class, LIMITS)) {
            Client client = Client.open(app, "/stomp");
            for (int i = 0; i < 5; i++) {
                client.send("SEND\ndestination:/app/rooms/" + "x".repeat(600 + i) + "\n\nhello");
            }
            client.send("SUBSCRIBE\nid:1\ndestination:/topic/a\n\n");
            await().untilAsserted(() -> assertThat(app.bean(Rooms.class).heard).hasValue(3));
            await().until(() -> {
                client.send("SEND\ndestination:/topic/a\n\nto all");
                return client.hears("to all", 300);
            });
            assertThat(app.bean(Rooms.class).heard).hasValue(3);
        }
    }

    /** A frame that reaches a limited handler was counted, however it is written. */
    @Test
    void framesOfOtherSpellings_areCountedAsTheyAreDelivered() throws Exception {
        String[] destinations = {
            "/app/rooms/a/send",
            "/app/rooms//a/send",
            "/app/rooms/a//send",
            "/app/rooms/?/send",
            "/app/rooms/a?b/send",
            "/app/rooms/#/send",
            "/app/rooms/;/send",
            "/app/rooms/a;b/send",
            "/app/rooms/../send",
            "/app/rooms/./send",
            "/app/rooms/%2e%2e/send",
            "/app/rooms/%2f/send",
            "/app/rooms/%3f/send",
            "/app/rooms/%00/send",
            "/app/rooms/%/send",
            "/app/rooms/%c3%28/send",
            "/app/rooms/a\\\\b/send",
            "/app/rooms/\\c/send",
            "/app/rooms/{room}/send",
            "/app/rooms/*/send",
            "/app/rooms/é/send",
            "/app/rooms/Ã©/send"
        };
        String[] never = {
            "weir.limits[0].name=never",
            "weir.limits[0].match.type=SEND",
            "weir.limits[0].match.path=/app/rooms/*/send",
            "weir.limits[0].rate=0/hour"
        };
        try (App app = App.servlet(Application.class, never)) {
            Client client = Client.open(app, "/stomp");
            for (String command : new String[] {"SEND", "MESSAGE"}) {
                for (String destination : destinations) {
                    client.send(command + "\nsubscription:1\ndestination:" + destination + "\n\nhello");
                }
            }
            client.send("SEND\ndestination:/app/free\n\nhello");
            await().untilAsserted(() -> assertThat(app.bean(Rooms.class).free).hasValue(1));
            // Frames are limited in order: all frames before this one were.
            assertThat(app.bean(Weir.class).counts().denied()).isEqualTo(2L * destinations.length);
            assertThat(app.bean(Rooms.class).heard).hasValue(0);
        }
    }

    @Test
    void framesBeyondTheLimit_endTheConnection_whereToldTo() throws Exception {
        String[] closing = java.util.Arrays.copyOf(LIMITS, LIMITS.length + 1);
        closing[LIMITS.length] = "weir.stomp.on-exceed=close";
        try (App app = App.servlet(Application.class, closing)) {
            Client client = Client.open(app, "/stomp");
            for (int i = 0; i < 4; i++) {
                client.send("SEND\ndestination:/app/say\n\nhello");
            }
            assertThat(client.next()).contains("ERROR", "refused by the limit 'sends'");
            await().untilAsserted(() ->
                    assertThat(app.bean(ConnectionLimits.class).open()).isZero());
        }
    }

    @Test
    void slots_areTakenAndReleased_andAnEndpointWithoutThemIsLeftAlone() throws Exception {
        try (App app = App.servlet(Application.class, LIMITS)) {
            Client first = Client.open(app, "/stomp");
            Client second = Client.open(app, "/stomp");
            assertThat(app.bean(ConnectionLimits.class).open()).isEqualTo(2);
            try {
                Client.open(app, "/stomp");
                assertThat(false).as("a third connection").isTrue();
            } catch (CompletionException e) {
                assertThat(((WebSocketHandshakeException) e.getCause())
                                .getResponse()
                                .statusCode())
                        .isEqualTo(429);
            }
            Client.open(app, "/free").send("SUBSCRIBE\nid:1\ndestination:/topic/a\n\n");

            first.socket.abort();
            second.socket.sendClose(WebSocket.NORMAL_CLOSURE, "").join();
            await().untilAsserted(() ->
                    assertThat(app.bean(ConnectionLimits.class).open()).isZero());
            Client.open(app, "/stomp");
        }
    }

    /** A STOMP client on the JDK's WebSocket. */
    private static final class Client implements WebSocket.Listener {
        private static final HttpClient HTTP = HttpClient.newHttpClient();

        private final BlockingQueue<String> received = new LinkedBlockingQueue<>();
        private final StringBuilder text = new StringBuilder();
        WebSocket socket;

        static Client open(App app, String path) throws Exception {
            Client client = new Client();
            client.socket = HTTP.newWebSocketBuilder()
                    .subprotocols("v12.stomp")
                    .buildAsync(URI.create("ws://127.0.0.1:" + app.port() + path), client)
                    .join();
            client.send("CONNECT\naccept-version:1.2\nhost:localhost\n\n");
            assertThat(client.next()).startsWith("CONNECTED");
            return client;
        }

        void send(String frame) {
            socket.sendText(frame + "\0", true).join();
        }

        String next() throws InterruptedException {
            String frame = received.poll(90, TimeUnit.SECONDS);
            assertThat(frame).as("a frame").isNotNull();
            return frame;
        }

        /** Whether a frame with this text arrives within this many milliseconds of the previous one. */
        boolean hears(String text, long millis) throws InterruptedException {
            String frame;
            while ((frame = received.poll(millis, TimeUnit.MILLISECONDS)) != null) {
                if (frame.contains(text)) {
                    assertThat(frame).startsWith("MESSAGE");
                    return true;
                }
            }
            return false;
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
    }
}
