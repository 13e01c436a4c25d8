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
import java.util.concurrent.atomic.AtomicReference;
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

    /** Entries behind one that failed must not be dropped on a connection that stays open. */
    @Test
    void connection_whoseHandlerFailsWithAnError_endsAndIsOpenedAgain() throws Exception {
        AtomicReference<PeerConnection> failed = new AtomicReference<>();
        PeerConnection.Handler failsOnce = (from, kind, body) -> {
            if (failed.compareAndSet(null, from)) {
                throw new OutOfMemoryError("a test");
            }
            assertThat(from).isNotSameAs(failed.get());
            return CompletableFuture.completedFuture(body);
        };
        try (PeerTransport to = transport("to", peer -> List.of(), failsOnce)) {
            to.start();
            try (PeerTransport from = transport(
                    "from",
                    peer -> List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), to.port())),
                    failsOnce)) {
                byte[] body = {7};
                await().atMost(TestNodes.LONG).ignoreExceptions().until(() -> {
                    // The first one that is sent fails when its connection ends, long before its timeout.
                    return Arrays.equals(from.ask("to", 30, body, 3_600_000).get(), body);
                });
                assertThat(failed).doesNotHaveNullValue();
                assertThat(failed.get().isOpen()).isFalse();
            }
        }
    }

    private static PeerTransport transport() throws IOException {
        return transport("closing", peer -> List.of());
    }

    private static PeerTransport transport(String name, Directory directory) throws IOException {
        return transport(name, directory, (from, kind, body) -> CompletableFuture.completedFuture(body));
    }

    private static PeerTransport transport(String name, Directory directory, PeerConnection.Handler handler)
            throws IOException {
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
                handler,
                () -> FORMATS);
    }
}
