package dev.weir.store.raft;

import dev.weir.store.raft.BytesIn.MalformedException;
import dev.weir.store.raft.Handshake.RefusedException;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Carries messages between nodes: each node calls every other one, and sends on the connection that it made itself.
 *
 * <p>A message may be lost, and is never changed, doubled or overtaken by a later one on its connection. Whoever calls
 * and does not belong here is refused before it is listened to.
 */
final class TcpTransport implements AutoCloseable {
    private static final Logger LOG = System.getLogger(TcpTransport.class.getName());
    private static final int LARGEST_FRAME = 64 << 20;
    private static final int HANDSHAKE_MILLIS = 2_000;
    private static final int SILENCE_MILLIS = 5_000;
    /** Connections whose handshake is not over. Beyond that the oldest goes: an honest one takes milliseconds. */
    private static final int MOST_STRANGERS = 64;

    private static final long REFUSAL_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final ServerSocket server;
    private final Handshake handshake;
    private final Receiver receiver;
    private final Link[] links;
    private final AtomicReferenceArray<@Nullable Socket> inbound;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    /** Those whose handshake is not over, oldest first; guarded by itself. */
    private final LinkedHashSet<Socket> strangers = new LinkedHashSet<>();

    /** When something last came from each node. */
    private final long[] heardAt;

    /** When the next refusal may be logged: of somebody unknown, then of each node. */
    private final AtomicLongArray refusedAt;

    private volatile @Nullable String refusal;
    private volatile boolean closed;

    /** Who is told what comes. Called by many threads. */
    interface Receiver {
        void received(int from, Message message);

        /** A node that had called hung up, or died. */
        void disconnected(int from);
    }

    TcpTransport(InetSocketAddress bind, Handshake.Identity identity, Directory directory, Receiver receiver)
            throws IOException {
        this.handshake = new Handshake(identity);
        this.receiver = receiver;
        this.heardAt = new long[identity.size()];
        this.inbound = new AtomicReferenceArray<>(identity.size());
        this.refusedAt = new AtomicLongArray(identity.size() + 1);
        for (int i = 0; i <= identity.size(); i++) {
            refusedAt.set(i, System.nanoTime());
        }
        this.server = new ServerSocket();
        server.setReuseAddress(true);
        listenAt(bind);
        this.links = new Link[identity.size()];
        for (int i = 0; i < links.length; i++) {
            heardAt[i] = System.nanoTime();
            links[i] = new Link(i, bind, handshake, directory, this);
        }
        for (int i = 0; i < links.length; i++) {
            if (i != identity.node()) {
                links[i].start();
            }
        }
        daemon("weir-cluster-accept", this::acceptAll).start();
    }

    private void listenAt(InetSocketAddress bind) throws IOException {
        try {
            server.bind(bind);
        } catch (IOException e) {
            server.close();
            throw new IOException(
                    "it cannot listen at bind=" + bind.getHostString() + ":" + bind.getPort() + " (" + e.getMessage()
                            + "); give it an address of this machine, and a port that nobody else listens at",
                    e);
        }
    }

    int port() {
        return server.getLocalPort();
    }

    void send(int to, Message message) {
        links[to].send(message);
    }

    /** Why a node was refused, or refused this one, most recently; null if that never happened. */
    @Nullable
    String refusal() {
        return refusal;
    }

    /** How long nothing has come from a node, in nanoseconds. */
    long silence(int node) {
        return System.nanoTime() - heardAt[node];
    }

    void refused(int node, String why) {
        String told = (node < 0 ? "somebody" : "node " + node) + ": " + why;
        refusal = told;
        // Who is refused tries again at once, and a stranger may try as often as it likes: neither fills the log.
        long now = System.nanoTime();
        long before = refusedAt.get(node + 1);
        if (now - before >= 0 && refusedAt.compareAndSet(node + 1, before, now + REFUSAL_PAUSE_NANOS)) {
            LOG.log(Level.ERROR, "refused, {0}", told);
        }
    }

    @Override
    public void close() {
        closed = true;
        try {
            server.close();
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "closing", e);
        }
        for (Link link : links) {
            link.close();
        }
        open.forEach(TcpTransport::closeQuietly);
    }

    private void acceptAll() {
        while (!closed) {
            try {
                Socket socket = server.accept();
                open.add(socket);
                admit(socket);
                daemon("weir-cluster-in", () -> listen(socket)).start();
            } catch (IOException e) {
                if (!closed) {
                    LOG.log(Level.WARNING, "a call could not be taken", e);
                }
            }
        }
    }

    private void admit(Socket stranger) {
        Socket oldest = null;
        synchronized (strangers) {
            if (strangers.size() >= MOST_STRANGERS) {
                oldest = strangers.iterator().next();
                strangers.remove(oldest);
            }
            strangers.add(stranger);
        }
        if (oldest != null) {
            closeQuietly(oldest);
        }
    }

    private void forgetStranger(Socket socket) {
        synchronized (strangers) {
            strangers.remove(socket);
        }
    }

    private void listen(Socket socket) {
        int from = -1;
        try (socket) {
            socket.setTcpNoDelay(true);
            PromptInput input = new PromptInput(socket, HANDSHAKE_MILLIS);
            DataInputStream in = new DataInputStream(new BufferedInputStream(input, 1 << 16));
            Handshake.Result caller = handshake.answer(in, new DataOutputStream(socket.getOutputStream()));
            forgetStranger(socket);
            from = caller.node();
            Socket before = inbound.getAndSet(from, socket);
            if (before != null) {
                closeQuietly(before);
            }
            input.endHandshake(SILENCE_MILLIS);
            links[from].hurry();
            readFrames(in, from, caller.seal());
        } catch (RefusedException e) {
            refused(from, String.valueOf(e.getMessage()));
        } catch (IOException | MalformedException | GeneralSecurityException e) {
            LOG.log(Level.DEBUG, "a connection from node " + from + " ended", e);
        } finally {
            open.remove(socket);
            forgetStranger(socket);
            if (from >= 0 && inbound.compareAndSet(from, socket, null) && !closed) {
                receiver.disconnected(from);
            }
        }
    }

    private void readFrames(DataInputStream in, int from, Secret.@Nullable Seal seal)
            throws IOException, GeneralSecurityException {
        while (!closed) {
            int length = in.readInt();
            if (length < 0 || length > LARGEST_FRAME) {
                throw new MalformedException("a frame of " + length + " bytes");
            }
            byte[] frame = in.readNBytes(length);
            if (frame.length < length) {
                return;
            }
            heardAt[from] = System.nanoTime();
            byte[] plain = seal == null ? frame : seal.next(frame, length);
            if (plain.length > 0) {
                receiver.received(from, MessageCodec.read(new BytesIn(plain)));
            }
        }
    }

    static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "closing", e);
        }
    }

    static Thread daemon(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }
}
