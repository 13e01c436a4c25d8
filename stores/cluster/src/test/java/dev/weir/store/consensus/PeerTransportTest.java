package dev.weir.store.consensus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("io")
class PeerTransportTest {
    private static final FormatRange FORMATS = new FormatRange(1, 1);

    /** As happens if a connection is accepted, or opened, while the node closes. */
    @Test
    void socket_registeredAfterClose_isClosed() throws IOException {
        try (Socket before = new Socket();
                Socket after = new Socket()) {
            PeerTransport transport = transport();
            assertThat(transport.register(before)).isTrue();
            transport.close();
            assertThat(before.isClosed()).isTrue();
            assertThat(transport.register(after)).isFalse();
            assertThat(after.isClosed()).isTrue();
        }
    }

    /** As happens if there is too little memory for a moment. */
    @Test
    void connection_isOpenedAfterAnErrorOnTheWay() throws Exception {
        AtomicInteger lookups = new AtomicInteger();
        try (PeerTransport to = transport("to", peer -> List.of())) {
            to.start();
            try (PeerTransport from = transport("from", peer -> {
                if (lookups.incrementAndGet() == 1) {
                    throw new OutOfMemoryError("a test");
                }
                return List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), to.port()));
            })) {
                byte[] body = {7};
                await().ignoreExceptions()
                        .until(() ->
                                Arrays.equals(from.ask("to", 30, body, 30_000).get(), body));
            }
        }
    }

    private static PeerTransport transport() throws IOException {
        return transport("closing", peer -> List.of());
    }

    private static PeerTransport transport(String name, Directory directory) throws IOException {
        return new PeerTransport(
                new ConsensusOptions(
                        TestNodes.NAME,
                        name,
                        List.of(name),
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        directory,
                        null,
                        FORMATS,
                        null,
                        false,
                        new Timing(Duration.ofSeconds(1), Duration.ofSeconds(1)),
                        Duration.ofSeconds(1),
                        LogClock.Clock.SYSTEM),
                (from, kind, body) -> CompletableFuture.completedFuture(body),
                () -> FORMATS);
    }
}
