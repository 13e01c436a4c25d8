package dev.weir.store.consensus;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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

    private static PeerTransport transport() throws IOException {
        return new PeerTransport(
                new ConsensusOptions(
                        TestNodes.NAME,
                        "closing",
                        List.of("closing"),
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        peer -> List.of(),
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
