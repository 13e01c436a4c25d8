package dev.weir.store.consensus;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Forwards connections to a node, and breaks them so that the two ends notice it at different times. */
final class BreakingProxy implements AutoCloseable {
    private final ServerSocket server;
    private final InetSocketAddress target;
    private final List<Socket[]> pairs = new CopyOnWriteArrayList<>();

    BreakingProxy(InetSocketAddress target) {
        this.target = target;
        try {
            server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start(this::accept);
    }

    InetSocketAddress address() {
        return (InetSocketAddress) server.getLocalSocketAddress();
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "breaking-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket from = server.accept();
                Socket to = new Socket();
                try {
                    to.connect(target);
                } catch (IOException e) {
                    from.close();
                    continue;
                }
                from.setTcpNoDelay(true);
                to.setTcpNoDelay(true);
                pairs.add(new Socket[] {from, to});
                start(() -> copy(from, to));
                start(() -> copy(to, from));
            } catch (IOException e) {
                // The test ends.
            }
        }
    }

    /** Keeps the other end open when one breaks. */
    private static void copy(Socket from, Socket to) {
        byte[] buffer = new byte[1 << 16];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                out.write(buffer, 0, length);
            }
        } catch (IOException e) {
            // It was broken.
        }
    }

    /** Breaks all connections for the nodes that opened them; the other ends notice with the next call. */
    void breakOpeners() {
        pairs.forEach(pair -> PeerTransport.closeQuietly(pair[0]));
    }

    /** Closes the other ends of those that are broken. */
    void closeOtherEnds() {
        pairs.removeIf(pair -> {
            if (pair[0].isClosed()) {
                PeerTransport.closeQuietly(pair[1]);
                return true;
            }
            return false;
        });
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        breakOpeners();
        closeOtherEnds();
    }
}
