package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.server.ServerLimits;
import dev.weir.server.TestServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One address cannot take all connections, unless it is a trusted proxy. */
@Tag("io")
@Timeout(120)
class ConnectionCapTest {
    private static final int CAP = 5;
    private static final String LIMITS = "limits:\n  - { name: all, per: [ip], rate: 1000/s }\n";

    private TestServer server;
    private final List<Socket> sockets = new ArrayList<>();

    @AfterEach
    void stop() throws Exception {
        for (Socket socket : sockets) {
            socket.close();
        }
        server.close();
    }

    @Test
    void address_aboveItsCap_isRefused_andOthersAreServed() throws Exception {
        start("version: 1\n" + LIMITS);
        for (int i = 0; i < CAP; i++) {
            assertThat(isServed("127.0.0.2")).isTrue();
        }

        assertThat(isServed("127.0.0.2")).isFalse();
        assertThat(isServed("127.0.0.3")).isTrue();

        sockets.get(0).close();
        await().until(() -> isServed("127.0.0.2"));
    }

    @Test
    void trustedProxy_hasNoCapOfItsOwn() throws Exception {
        start("version: 1\ntrusted-proxies: [127.0.0.2/32]\n" + LIMITS);

        for (int i = 0; i < 2 * CAP; i++) {
            assertThat(isServed("127.0.0.2")).isTrue();
        }
    }

    /** Whether a connection from this address is served; it stays open. */
    private boolean isServed(String from) throws IOException {
        Socket socket = new Socket();
        sockets.add(socket);
        socket.setSoTimeout(60_000);
        socket.bind(new InetSocketAddress(InetAddress.getByName(from), 0));
        try {
            socket.connect(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), server.server.port()));
            socket.getOutputStream()
                    .write("GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            return socket.getInputStream().read() == 'H';
        } catch (IOException e) {
            return false;
        }
    }

    private void start(String yaml) {
        server = TestServer.yaml(
                yaml, options -> options.withLimits(ServerLimits.defaults().withConnectionsPerAddress(CAP)));
    }
}
