package dev.weir.store.consensus;

import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.Socket;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * An open connection between two nodes after its handshake. The node that opened it sends requests, the other replies.
 *
 * <p>A frame is its length, a kind, a number and a body. A reply has the number of its request. The node that opened the
 * connection sends an empty ping every {@link #PING_MILLIS}, and the other returns it. A side that receives nothing for
 * {@link #SILENCE_MILLIS} closes the connection, because after a network cut an old one may stay silent for minutes.
 *
 * <p>One thread reads and one writes. Frames in the queue are bounded by {@link #MOST_BYTES_QUEUED}; beyond that they are
 * dropped, which Raft tolerates.
 */
final class PeerConnection {
    static final int SILENCE_MILLIS = 1_500;

    private static final Logger LOG = System.getLogger(PeerConnection.class.getName());
    private static final int PING = 0;
    private static final int REPLY = 1;
    private static final int FAILURE = 2;
    private static final int HEAD = 9;
    private static final long PING_MILLIS = 250;
    static final int LARGEST_FRAME = 16 << 20;
    private static final long MOST_BYTES_QUEUED = 32L << 20;

    private final String peer;
    private final Socket raw;
    private final Socket socket;
    private final boolean isOpener;
    private final Handler handler;
    private final LinkedBlockingQueue<Frame> queue = new LinkedBlockingQueue<>();
    private final AtomicLong queuedBytes = new AtomicLong();
    private final Map<Long, CompletableFuture<byte[]>> pending = new ConcurrentHashMap<>();
    private final AtomicLong numbers = new AtomicLong();

    private volatile Runnable onClose = () -> {};
    private volatile boolean closed;

    /** Handles requests in the thread that reads them. Pings wait meanwhile, so it must not block for long. */
    interface Handler {
        CompletableFuture<byte[]> handle(PeerConnection from, int kind, byte[] body) throws IOException;
    }

    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    private record Frame(int kind, long number, byte[] body) {}

    /**
     * Creates it after the handshake.
     *
     * @param raw the TCP socket, which is closed at the end: closing a TLS socket may block while another thread writes
     * @param socket the same with TLS
     */
    PeerConnection(String peer, Socket raw, Socket socket, boolean isOpener, Handler handler) {
        this.peer = peer;
        this.raw = raw;
        this.socket = socket;
        this.isOpener = isOpener;
        this.handler = handler;
    }

    /** Sets what runs when it closes. Call it before {@link #run}. */
    void onClose(Runnable task) {
        onClose = task;
    }

    String peer() {
        return peer;
    }

    boolean isOpen() {
        return !closed;
    }

    /**
     * Sends a request. The thread that reads completes the reply with bytes; any thread, also this one, may complete it with
     * a failure.
     */
    void ask(int kind, byte[] body, long millis, CompletableFuture<byte[]> reply) {
        long number = numbers.incrementAndGet();
        pending.put(number, reply);
        send(new Frame(kind, number, body));
        if (closed) {
            reply.completeExceptionally(new IOException("the connection to " + peer + " is closed"));
        }
        var unused =
                reply.orTimeout(millis, TimeUnit.MILLISECONDS).whenComplete((bytes, failure) -> pending.remove(number));
    }

    private void send(Frame frame) {
        if (queuedBytes.get() < MOST_BYTES_QUEUED) {
            queuedBytes.addAndGet(frame.body.length);
            queue.add(frame);
        }
    }

    /** Reads frames until the connection ends. */
    void run(DataInputStream in) {
        PeerTransport.daemon("weir-cluster-write-" + peer, this::write).start();
        try {
            while (!closed) {
                int length = in.readInt();
                if (length < HEAD || length > LARGEST_FRAME) {
                    throw new IOException("a frame of " + length + " bytes");
                }
                int kind = in.readUnsignedByte();
                long number = in.readLong();
                byte[] body = in.readNBytes(length - HEAD);
                if (body.length < length - HEAD) {
                    return;
                }
                received(kind, number, body);
            }
        } catch (IOException | RuntimeException e) {
            LOG.log(Level.DEBUG, "the connection with " + peer + " ended", e);
        } finally {
            close();
        }
    }

    private void received(int kind, long number, byte[] body) {
        if (kind == PING) {
            if (!isOpener) {
                send(new Frame(PING, 0, body));
            }
        } else if (kind == REPLY || kind == FAILURE) {
            CompletableFuture<byte[]> reply = pending.get(number);
            if (reply != null && kind == REPLY) {
                reply.complete(body);
            } else if (reply != null) {
                reply.completeExceptionally(new IOException(new BytesIn(body).text()));
            }
        } else if (!isOpener) {
            CompletableFuture<byte[]> reply;
            try {
                reply = handler.handle(this, kind, body);
            } catch (IOException | RuntimeException e) {
                reply = CompletableFuture.failedFuture(e);
            }
            var unused = reply.whenComplete((bytes, failure) -> send(
                    failure == null ? new Frame(REPLY, number, bytes) : new Frame(FAILURE, number, text(failure))));
        }
    }

    private static byte[] text(Throwable failure) {
        BytesOut out = new BytesOut();
        out.text(String.valueOf(failure.getMessage()));
        return out.toBytes();
    }

    private void write() {
        try {
            DataOutputStream out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream(), 1 << 16));
            while (!closed) {
                Frame frame = queue.poll(PING_MILLIS, TimeUnit.MILLISECONDS);
                if (frame == null && isOpener) {
                    frame = new Frame(PING, 0, new byte[0]);
                }
                while (frame != null) {
                    queuedBytes.addAndGet(-frame.body.length);
                    out.writeInt(HEAD + frame.body.length);
                    out.writeByte(frame.kind);
                    out.writeLong(frame.number);
                    out.write(frame.body);
                    frame = queue.poll();
                }
                out.flush();
            }
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "the connection with " + peer + " ended", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            close();
        }
    }

    void close() {
        closed = true;
        onClose.run();
        PeerTransport.closeQuietly(raw);
        pending.values()
                .forEach(reply ->
                        reply.completeExceptionally(new IOException("the connection to " + peer + " is closed")));
    }
}
