package dev.weir.store.consensus;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * The connections between nodes: mutual TLS, then a handshake in which both say which node they are.
 *
 * <p>Each node keeps one connection to every other for its own requests. A connection is made again after its
 * certificates' files have changed. A peer without a certificate that this node trusts learns nothing. Without TLS a peer
 * that does not name the cluster learns nothing. At most {@link #MOST_STRANGERS} accepted connections may be in the
 * handshake, each for {@link #HANDSHAKE_MILLIS}; beyond that the oldest is closed.
 */
final class PeerTransport implements AutoCloseable {
    private static final Logger LOG = System.getLogger(PeerTransport.class.getName());
    private static final int MAGIC = 0x57454952;
    /** The version of frames and handshake. */
    static final int VERSION = 4;

    private static final int LARGEST_HANDSHAKE = 4_096;
    private static final int CONNECT_MILLIS = 400;
    private static final int HANDSHAKE_MILLIS = 3_000;
    private static final int MOST_STRANGERS = 64;
    private static final long LONGEST_PAUSE_MILLIS = 500;
    private static final long REFUSAL_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final ConsensusOptions options;
    private final PeerConnection.Handler handler;
    private final Supplier<FormatRange> formats;
    /** The newest format that each node could read when it was last met. */
    private final Map<String, Integer> newestFormats = new ConcurrentHashMap<>();

    private final ServerSocket server = new ServerSocket();
    private final Map<String, Link> links = new ConcurrentHashMap<>();
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    /** Accepted connections whose handshake is not over, oldest first; guarded by itself. */
    private final LinkedHashSet<Socket> strangers = new LinkedHashSet<>();

    private final ScheduledExecutorService timer =
            Executors.newSingleThreadScheduledExecutor(task -> daemon("weir-cluster-timer", task));
    private final Map<String, Long> refusalLoggedAt = new ConcurrentHashMap<>();
    /** The latest one. */
    private volatile @Nullable String refusal;

    private volatile boolean closed;

    /** @param formats what this node reads now */
    PeerTransport(ConsensusOptions options, PeerConnection.Handler handler, Supplier<FormatRange> formats)
            throws IOException {
        this.options = options;
        this.handler = handler;
        this.formats = formats;
        server.setReuseAddress(true);
        InetSocketAddress bind = options.bind();
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

    void start() {
        daemon("weir-cluster-accept", this::acceptAll).start();
    }

    int port() {
        return server.getLocalPort();
    }

    /** Sends a request. Fails at once if there is no connection; the first request to a node starts connecting. */
    CompletableFuture<byte[]> ask(String peer, int kind, byte[] body, long millis) {
        CompletableFuture<byte[]> reply = new CompletableFuture<>();
        ask(peer, kind, body, millis, reply);
        return reply;
    }

    /** The same for a reply on which something depends already. */
    void ask(String peer, int kind, byte[] body, long millis, CompletableFuture<byte[]> reply) {
        PeerConnection connection = link(peer).connection;
        if (connection == null) {
            reply.completeExceptionally(new IOException("no connection to " + peer));
        } else {
            connection.ask(kind, body, millis, reply);
        }
    }

    /** The newest format that a node could read when it was last met; the oldest of this node if it was not. */
    int newestFormat(String peer) {
        return newestFormats.getOrDefault(peer, formats.get().oldest());
    }

    private Link link(String peer) {
        return links.computeIfAbsent(peer, name -> {
            Link link = new Link(name);
            daemon("weir-cluster-connect-" + name, link::run).start();
            return link;
        });
    }

    /** Why this node and another one do not connect; null if nothing is known. */
    @Nullable
    String refusal() {
        String byPeer = refusalByPeer();
        return byPeer == null ? refusal : byPeer;
    }

    /** Why a node rejects this one at present; null for none. Unlike the other reasons, no stranger can cause it. */
    @Nullable
    String refusalByPeer() {
        for (Link link : links.values()) {
            String why = link.refusal;
            if (why != null) {
                return link.peer + ": " + why;
            }
        }
        return null;
    }

    private void refused(String peer, String why) {
        refusal = peer + ": " + why;
        long now = System.nanoTime();
        Long before = refusalLoggedAt.get(peer);
        if ((before == null || now - before > REFUSAL_PAUSE_NANOS) && refusalLoggedAt.size() < 100) {
            refusalLoggedAt.put(peer, now);
            LOG.log(Level.ERROR, "rejected, {0}", refusal);
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
        links.values().forEach(link -> link.hurry.release());
        open.forEach(PeerTransport::closeQuietly);
        timer.shutdownNow();
    }

    // ---- accepted connections ------------------------------------------------------------------------------------

    private void acceptAll() {
        while (!closed) {
            try {
                accept(server.accept());
            } catch (RejectedExecutionException e) {
                LOG.log(Level.DEBUG, "closed while a connection was accepted", e);
            } catch (IOException | RuntimeException | Error e) {
                // Also without memory for another thread, because no other thread accepts.
                if (!closed) {
                    LOG.log(Level.WARNING, "a connection could not be accepted", e);
                }
            }
        }
    }

    private void accept(Socket socket) {
        if (register(socket)) {
            admit(socket);
            daemon("weir-cluster-in", () -> serve(socket)).start();
        }
    }

    /**
     * Records a socket, so that {@link #close} closes it. Returns whether it may be used: if this transport was closed
     * meanwhile, nothing else would close the socket. It would stay open, because it returns pings, and the other node would
     * not connect to the node that is started here next.
     */
    boolean register(Socket socket) {
        open.add(socket);
        if (closed) {
            closeQuietly(socket);
            open.remove(socket);
            return false;
        }
        return true;
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
        closeUnlessKnown(stranger);
    }

    /** Ends a handshake that takes too long. */
    private void closeUnlessKnown(Socket stranger) {
        var unused = timer.schedule(
                () -> {
                    boolean isUnknown;
                    synchronized (strangers) {
                        isUnknown = strangers.remove(stranger);
                    }
                    if (isUnknown) {
                        closeQuietly(stranger);
                    }
                },
                HANDSHAKE_MILLIS,
                TimeUnit.MILLISECONDS);
    }

    private boolean isKnownNow(Socket socket) {
        synchronized (strangers) {
            return strangers.remove(socket);
        }
    }

    private void serve(Socket raw) {
        try (raw) {
            raw.setTcpNoDelay(true);
            raw.setSoTimeout(HANDSHAKE_MILLIS);
            Socket socket = secured(raw, false);
            DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 1 << 16));
            String peer = answerHandshake(in, new DataOutputStream(socket.getOutputStream()));
            if (peer == null || !isKnownNow(raw)) {
                return;
            }
            socket.setSoTimeout(PeerConnection.SILENCE_MILLIS);
            PeerConnection connection = new PeerConnection(peer, raw, socket, false, handler);
            Link link = links.get(peer);
            if (link != null) {
                link.hurry.release();
            }
            closeWhenCertificatesChange(connection);
            connection.run(in);
        } catch (SSLException e) {
            refused("a peer", tlsFailure(e));
        } catch (IOException | RuntimeException e) {
            LOG.log(Level.DEBUG, "an accepted connection ended", e);
        } finally {
            open.remove(raw);
            boolean unused = isKnownNow(raw);
        }
    }

    private static String tlsFailure(IOException e) {
        return "the TLS handshake failed (" + e.getMessage()
                + "); every node needs a certificate that the tls-ca of the others has signed";
    }

    private Socket secured(Socket raw, boolean isClient) throws IOException {
        TlsFiles tls = options.tls();
        if (tls == null) {
            return raw;
        }
        SSLSocket socket = (SSLSocket) tls.current()
                .context()
                .getSocketFactory()
                .createSocket(raw, raw.getInetAddress().getHostAddress(), raw.getPort(), true);
        socket.setUseClientMode(isClient);
        if (!isClient) {
            socket.setNeedClientAuth(true);
        }
        socket.startHandshake();
        return socket;
    }

    private void closeWhenCertificatesChange(PeerConnection connection) {
        TlsFiles tls = options.tls();
        if (tls == null) {
            return;
        }
        int version = tls.current().version();
        var check = timer.scheduleWithFixedDelay(
                () -> {
                    if (tls.current().version() != version) {
                        connection.close();
                    }
                },
                1,
                1,
                TimeUnit.SECONDS);
        connection.onClose(() -> check.cancel(false));
    }

    // ---- handshake -----------------------------------------------------------------------------------------------

    private static void writeHandshake(DataOutputStream out, BytesOut content) throws IOException {
        out.writeInt(content.size());
        out.write(content.toBytes());
        out.flush();
    }

    private static BytesIn readHandshake(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > LARGEST_HANDSHAKE) {
            throw new IOException("a handshake of " + length + " bytes");
        }
        byte[] content = new byte[length];
        in.readFully(content);
        return new BytesIn(content);
    }

    /** Returns the name of the peer; null after it was rejected. */
    private @Nullable String answerHandshake(DataInputStream in, DataOutputStream out) throws IOException {
        BytesIn said = readHandshake(in);
        // A peer that does not know this much learns nothing.
        if (said.i32() != MAGIC || !said.text().equals(options.cluster())) {
            refused("a peer", "it is no node of this cluster");
            return null;
        }
        int version = said.u8();
        FormatRange theirs = new FormatRange((int) said.number(), (int) said.number());
        String peer = said.text();
        FormatRange own = formats.get();
        String problem = version == VERSION && theirs.overlaps(own)
                ? ""
                : "their versions do not fit: protocol " + version + " and format " + theirs + " here, " + VERSION
                        + " and " + own + " there; run versions of Weir that fit on all nodes";
        BytesOut reply = new BytesOut();
        reply.text(problem);
        reply.text(options.node());
        reply.number(own.newest());
        writeHandshake(out, reply);
        if (!problem.isEmpty()) {
            refused(peer, problem);
            return null;
        }
        newestFormats.put(peer, theirs.newest());
        return peer;
    }

    /** Returns the name of the peer. */
    private String callHandshake(DataInputStream in, DataOutputStream out) throws IOException {
        BytesOut said = new BytesOut();
        said.i32(MAGIC);
        said.text(options.cluster());
        said.u8(VERSION);
        said.number(formats.get().oldest());
        said.number(formats.get().newest());
        said.text(options.node());
        writeHandshake(out, said);
        BytesIn reply = readHandshake(in);
        String problem = reply.text();
        if (!problem.isEmpty()) {
            throw new RejectedException(problem);
        }
        String peer = reply.text();
        newestFormats.put(peer, (int) reply.number());
        return peer;
    }

    private static final class RejectedException extends IOException {
        private static final long serialVersionUID = 1L;

        RejectedException(String message) {
            super(message);
        }
    }

    // ---- connections that this node opens -------------------------------------------------------------------------

    /** The connection to one other node, which is opened again whenever it ends. */
    private final class Link {
        private final String peer;
        private final Semaphore hurry = new Semaphore(0);
        private volatile @Nullable PeerConnection connection;
        /** Why the latest attempt was rejected; null after a connection was made. */
        private volatile @Nullable String refusal;

        Link(String peer) {
            this.peer = peer;
        }

        void run() {
            long pause = 10;
            while (!closed) {
                boolean wasConnected = false;
                try {
                    wasConnected = connectAny();
                } catch (RuntimeException | Error e) {
                    // Such as too little memory. If this thread ended, nothing would connect to that node again.
                    LOG.log(Level.WARNING, "connecting to " + peer + " failed", e);
                }
                pause = wasConnected ? 10 : Math.min(LONGEST_PAUSE_MILLIS, 2 * pause);
                try {
                    if (!closed && hurry.tryAcquire(pause, TimeUnit.MILLISECONDS)) {
                        hurry.drainPermits();
                    }
                } catch (InterruptedException e) {
                    return;
                }
            }
        }

        /** Tries every address. Returns whether there was a connection, after it has ended. */
        private boolean connectAny() {
            for (InetSocketAddress address : options.directory().addresses(peer)) {
                if (!closed && connect(address)) {
                    return true;
                }
            }
            return false;
        }

        private void rejected(String why) {
            refusal = why;
            refused(peer, why);
        }

        private boolean connect(InetSocketAddress address) {
            boolean isConnected = false;
            boolean isSecured = false;
            Socket raw = new Socket();
            try (raw) {
                if (!register(raw)) {
                    return false;
                }
                raw.setTcpNoDelay(true);
                if (!options.bind().getAddress().isAnyLocalAddress()) {
                    raw.bind(new InetSocketAddress(options.bind().getAddress(), 0));
                }
                raw.connect(address, CONNECT_MILLIS);
                isConnected = true;
                raw.setSoTimeout(HANDSHAKE_MILLIS);
                Socket socket = secured(raw, true);
                DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 1 << 16));
                String name = callHandshake(in, new DataOutputStream(socket.getOutputStream()));
                isSecured = true;
                options.directory().met(address, name);
                if (!name.equals(peer)) {
                    return false;
                }
                socket.setSoTimeout(PeerConnection.SILENCE_MILLIS);
                PeerConnection made = new PeerConnection(peer, raw, socket, true, handler);
                closeWhenCertificatesChange(made);
                refusal = null;
                connection = made;
                made.run(in);
                return true;
            } catch (RejectedException e) {
                rejected(String.valueOf(e.getMessage()));
            } catch (SSLException e) {
                rejected(tlsFailure(e));
            } catch (EOFException | SocketException e) {
                if (isConnected && !isSecured && !closed) {
                    rejected("it closed the connection; both must have the same cluster name, and certificates of the"
                            + " same tls-ca or none");
                }
            } catch (IOException | RuntimeException e) {
                LOG.log(Level.DEBUG, "connecting to " + peer + " at " + address + " failed", e);
            } finally {
                connection = null;
                open.remove(raw);
            }
            return false;
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
