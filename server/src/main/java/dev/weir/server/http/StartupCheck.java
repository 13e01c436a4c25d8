package dev.weir.server.http;

import dev.weir.server.ServerOptions;
import dev.weir.server.WeirServer;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * Checks that connections get their bounds and the fast path of checks; both depend on how Vert.x builds its pipeline.
 * The server connects to itself once when it starts; with TLS, the first client's connection is checked instead.
 * Thread-safe.
 */
public final class StartupCheck {
    private static final Logger LOG = System.getLogger(WeirServer.class.getName());
    private static final Duration CONNECTION_TIMEOUT = Duration.ofSeconds(2);
    private static final String MISSING =
            "the HTTP codec of this version of Vert.x is not where it should be; use the version that Weir comes with";

    private final CompletableFuture<Boolean> isInPlace = new CompletableFuture<>();

    /** Records the result for a connection; only the first one counts. */
    void complete(boolean isBound) {
        if (isInPlace.complete(isBound)) {
            LOG.log(isBound ? Level.DEBUG : Level.ERROR, isBound ? "the fast path for checks is installed" : MISSING);
        }
    }

    /**
     * Connects to the server and waits for the result, before the server counts as started.
     *
     * @throws IllegalStateException if connections have no bounds
     */
    public void run(ServerOptions options, int port, ConnectionCap connectionCap) {
        if (options.tls() != null) {
            return;
        }
        try (Socket probe = new Socket()) {
            probe.connect(new InetSocketAddress(options.host(), port), (int) CONNECTION_TIMEOUT.toMillis());
            if (!isInPlace.get(CONNECTION_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IllegalStateException(MISSING);
            }
        } catch (IOException | ExecutionException | TimeoutException e) {
            LOG.log(Level.DEBUG, "the server could not connect to itself; the first client is checked instead", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        // Wait until this connection is closed, so that it does not count as a client's.
        long deadline = System.nanoTime() + CONNECTION_TIMEOUT.toNanos();
        while (connectionCap.inside() > 0 && System.nanoTime() < deadline) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }
}
