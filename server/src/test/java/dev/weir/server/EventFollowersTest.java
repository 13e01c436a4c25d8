package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("io")
class EventFollowersTest {
    private static final String YAML = """
            version: 1
            trusted-proxies: [127.0.0.1/32]
            limits:
              - { name: a, per: [user], rate: 1/min }
            """;

    @ParameterizedTest
    @ValueSource(strings = {"/v1/events", "/v1/events?view=dashboard", "/v1/tail"})
    void oneAddress_cannotTakeEveryPlace(String path) throws IOException {
        List<Socket> open = new ArrayList<>();
        try (TestServer server = TestServer.yaml(YAML)) {
            String last = "";
            while (open.size() < 100 && !last.contains(" 503 ")) {
                last = follow(server, path, "203.0.113.1", open);
            }
            assertThat(last).as("the last of " + open.size()).contains(" 503 ");
            assertThat(open.size() - 1).isEqualTo(20);
            assertThat(follow(server, path, "203.0.113.2", open)).contains(" 200 ");

            open.get(0).close();
            await().untilAsserted(() ->
                    assertThat(follow(server, path, "203.0.113.1", open)).contains(" 200 "));
        } finally {
            for (Socket socket : open) {
                socket.close();
            }
        }
    }

    private static String follow(TestServer server, String path, String client, List<Socket> open) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.server.port());
        open.add(socket);
        socket.getOutputStream()
                .write(("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: " + client + "\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
        return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII)).readLine();
    }
}
