package dev.weir.store.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.fixture.Ports;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A running cluster of two out of three, and those who call it and do not belong there. */
@Tag("io")
class StrangersTest {
    private static final Duration LONG = Duration.ofSeconds(90);

    private final List<InetSocketAddress> addresses = new ArrayList<>();
    private final List<RaftNode> nodes = new ArrayList<>();

    @BeforeEach
    void start() throws IOException {
        for (int i = 0; i < 3; i++) {
            addresses.add(new InetSocketAddress(InetAddress.getLoopbackAddress(), Ports.reserve()));
        }
        for (int i = 0; i < 2; i++) {
            nodes.add(node(i, 1, "a,b,c"));
        }
        await().atMost(LONG)
                .until(() -> nodes.stream().allMatch(node -> node.status().isReady()));
    }

    @AfterEach
    void end() {
        nodes.forEach(RaftNode::halt);
    }

    private RaftNode node(int number, int format, String membership) throws IOException {
        RaftNode node = new RaftNode(
                new RaftOptions(
                        "strict",
                        number,
                        3,
                        membership,
                        addresses.get(number),
                        peer -> List.of(addresses.get(peer)),
                        null,
                        format,
                        null,
                        Timing.defaults(),
                        Duration.ofSeconds(60),
                        LogClock.Clock.SYSTEM),
                new Echo());
        node.start();
        return node;
    }

    /** Answers with what it is given. */
    private static final class Echo implements Consensus.State {
        @Override
        public byte[] apply(Entry entry) {
            return entry.body();
        }

        @Override
        public byte[] snapshot() {
            return new byte[0];
        }

        @Override
        public void restore(byte[] snapshot) {}
    }

    private void assertTheOthersGoOn() throws Exception {
        for (int i = 0; i < 2; i++) {
            byte[] body = {1, 2, 3};
            assertThat(nodes.get(i).submit(body, false).toCompletableFuture().get(90, TimeUnit.SECONDS))
                    .isEqualTo(body);
        }
    }

    @Test
    void node_ofAVersionThatDoesNotFit_isRefusedAndSaysWhatToDo() throws Exception {
        RaftNode newer = node(2, 2, "a,b,c");
        nodes.add(newer);
        await().atMost(LONG)
                .until(() -> String.valueOf(newer.status().problem()).contains("versions do not fit"));
        assertThat(newer.status().isReady()).isFalse();
        assertTheOthersGoOn();
    }

    @Test
    void node_withAnotherListOfMembers_isRefusedAndSaysSo() throws Exception {
        RaftNode other = node(2, 1, "a,b,d");
        nodes.add(other);
        await().atMost(LONG)
                .until(() -> String.valueOf(other.status().problem()).contains("members"));
        assertThat(other.status().isReady()).isFalse();
        assertTheOthersGoOn();
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET / HTTP/1.1\r\n\r\n", "\u0000\u0000\u0000\u0000", "", "\u007f\uffff\uffff\uffff"})
    void stranger_whoSaysAnything_isCutOffAndDisturbsNobody(String said) throws Exception {
        try (Socket socket = new Socket()) {
            socket.connect(addresses.get(0));
            socket.setSoTimeout(90_000);
            socket.getOutputStream().write(said.getBytes(StandardCharsets.UTF_8));
            socket.getOutputStream().flush();
            assertTheOthersGoOn();
            assertThat(isHungUpOn(socket)).isTrue();
        }
    }

    /** Whatever it is told before that. */
    private static boolean isHungUpOn(Socket socket) throws IOException {
        try {
            while (socket.getInputStream().read() >= 0) {
                // It may be told why.
            }
            return true;
        } catch (java.net.SocketException reset) {
            return true;
        } catch (java.net.SocketTimeoutException stillThere) {
            return false;
        }
    }
}
