package dev.weir.binding.websocket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.engine.Weir;
import dev.weir.engine.config.ConfigurationReader;
import dev.weir.engine.connection.ConnectionLimits;
import java.net.http.WebSocketHandshakeException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The tests that every adapter must pass, with a real server and real sockets. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
abstract class AdapterSuite {
    final Weir weir = Weir.inMemory(
            new ConfigurationReader(name -> null).read("test.yaml", """
            version: 1
            limits:
              - { name: messages, per: [user, type], rate: 3/hour }
              - { name: connections, per: [user], algorithm: concurrency, rate: 2 }
            """).orThrow());
    final ConnectionLimits connections = new ConnectionLimits(weir);
    final MessagePipeline pipeline = MessagePipeline.builder(weir)
            .payloadUpTo(1000)
            .to((message, connection) -> {
                if (message.type().equals("quit")) {
                    connection.close(4000, "as you wish");
                } else {
                    connection.send("echo " + message.text());
                }
                return null;
            });

    /** Starts a server whose WebSockets, at {@code /ws}, take their user from the header X-User. */
    abstract int start() throws Exception;

    abstract void stop() throws Exception;

    private int port;

    @BeforeEach
    void begin() throws Exception {
        port = start();
    }

    @AfterEach
    void end() throws Exception {
        stop();
        connections.close();
        pipeline.close();
        weir.close();
    }

    private Client connect(String user, String... more) {
        String[] headers = new String[more.length + 2];
        headers[0] = "X-User";
        headers[1] = user;
        System.arraycopy(more, 0, headers, 2, more.length);
        return Client.connect(port, "/ws", headers);
    }

    @Test
    void messages_goThroughThePipelineInOrder() throws Exception {
        Client ann = connect("ann");
        for (int i = 0; i < 5; i++) {
            ann.send("{\"type\":\"say\",\"id\":\"" + i + "\"}");
        }
        for (int i = 0; i < 3; i++) {
            assertThat(ann.next()).isEqualTo("echo {\"type\":\"say\",\"id\":\"" + i + "\"}");
        }
        assertThat(ann.next()).contains("RESOURCE_EXHAUSTED", "\"correlationId\":\"3\"");
        assertThat(ann.next()).contains("RESOURCE_EXHAUSTED", "\"correlationId\":\"4\"");
        // Another type, another user: neither is delayed.
        ann.send("{\"type\":\"other\"}");
        assertThat(ann.next()).startsWith("echo");
        Client bob = connect("bob");
        bob.send("{\"type\":\"say\"}");
        assertThat(bob.next()).startsWith("echo");
        ann.close();
        bob.close();
    }

    @Test
    void messagesThatAreTooLarge_areRefused_andMalformedOnesToldSo() throws Exception {
        Client ann = connect("ann");
        ann.send("{\"type\":\"say\",\"text\":\"" + "x".repeat(1200) + "\"}");
        assertThat(ann.next()).contains("FAILED_PRECONDITION", "1000 bytes");
        ann.send("nonsense");
        assertThat(ann.next()).contains("INVALID_ARGUMENT");
        ann.send("{\"type\":\"say\"}");
        assertThat(ann.next()).startsWith("echo");
        ann.close();
    }

    @Test
    void connections_areLimitedAtTheHandshake() {
        Client one = connect("ann");
        Client two = connect("ann");
        assertThatThrownBy(() -> connect("ann"))
                .hasCauseInstanceOf(WebSocketHandshakeException.class)
                .cause()
                .satisfies(refused -> {
                    var response = ((WebSocketHandshakeException) refused).getResponse();
                    assertThat(response.statusCode()).isEqualTo(429);
                    assertThat(response.headers().firstValue("X-RateLimit-Limit"))
                            .contains("2");
                });
        Client other = connect("bob");
        one.close();
        two.close();
        other.close();
    }

    @Test
    void everyKindOfClose_releasesItsSlot() {
        for (String kind : new String[] {"close", "abort", "server", "garbage"}) {
            Client one = connect("ann");
            Client two = connect("ann");
            assertThat(connections.open()).as(kind).isEqualTo(2);
            switch (kind) {
                case "close" -> one.close();
                case "abort" -> one.abort();
                case "server" -> one.send("{\"type\":\"quit\"}");
                default -> {
                    for (int i = 0; i < 10; i++) {
                        one.send("garbage");
                    }
                }
            }
            await().until(() -> connections.open() == 1);
            if (kind.equals("server")) {
                assertThat(one.closed.join()).isEqualTo(4000);
            }
            connect("ann").close();
            two.close();
            await().until(() -> connections.open() == 0);
        }
    }

    @Test
    void theServersEnd_releasesAll() throws Exception {
        connect("ann");
        connect("bob");
        assertThat(connections.open()).isEqualTo(2);
        stop();
        await().until(() -> connections.open() == 0);
    }
}
