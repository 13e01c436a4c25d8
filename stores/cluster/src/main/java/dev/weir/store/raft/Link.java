package dev.weir.store.raft;

import dev.weir.store.raft.Handshake.RefusedException;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The way to one other node: calls it until it answers, and sends what is to be sent.
 *
 * <p>What waits is bounded; beyond that, and while nobody answers, messages are lost, which consensus expects. When
 * nothing comes back for a while the connection is given up and made anew, as after a cut the old one may stay silent for
 * minutes.
 */
final class Link {
    private static final Logger LOG = System.getLogger(Link.class.getName());
    private static final long MOST_BYTES_WAITING = 32L << 20;
    private static final long PING_MILLIS = 250;
    private static final int CONNECT_MILLIS = 400;
    private static final int HANDSHAKE_MILLIS = 2_000;
    private static final long SILENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);
    private static final long LONGEST_PAUSE_MILLIS = 500;

    private final int peer;
    private final InetSocketAddress bind;
    private final Handshake handshake;
    private final Directory directory;
    private final TcpTransport transport;
    private final LinkedBlockingQueue<Message> queue = new LinkedBlockingQueue<>();
    private final AtomicLong bytesWaiting = new AtomicLong();
    private final Semaphore hurry = new Semaphore(0);
    private final BytesOut frame = new BytesOut(1 << 16);
    private volatile boolean connected;
    private volatile @Nullable Socket socket;
    private volatile boolean closed;

    Link(int peer, InetSocketAddress bind, Handshake handshake, Directory directory, TcpTransport transport) {
        this.peer = peer;
        this.bind = bind;
        this.handshake = handshake;
        this.directory = directory;
        this.transport = transport;
    }

    void start() {
        TcpTransport.daemon("weir-cluster-out-" + peer, this::run).start();
    }

    void send(Message message) {
        if (connected && bytesWaiting.get() < MOST_BYTES_WAITING) {
            bytesWaiting.addAndGet(size(message));
            queue.add(message);
        }
    }

    /** The other node has called: it is there, so call it now. */
    void hurry() {
        if (!connected) {
            hurry.release();
        }
    }

    void close() {
        closed = true;
        hurry.release();
        Socket current = socket;
        if (current != null) {
            TcpTransport.closeQuietly(current);
        }
    }

    private void run() {
        long pause = 20;
        while (!closed) {
            boolean wasConnected = callAny();
            pause = wasConnected ? 20 : Math.min(LONGEST_PAUSE_MILLIS, 2 * pause);
            try {
                if (!closed && hurry.tryAcquire(pause, TimeUnit.MILLISECONDS)) {
                    hurry.drainPermits();
                }
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    /** Calls at every address that comes into question; answers whether it was connected. */
    private boolean callAny() {
        for (InetSocketAddress address : directory.addresses(peer)) {
            if (closed) {
                return false;
            }
            try (Socket made = new Socket()) {
                socket = made;
                made.setTcpNoDelay(true);
                if (!bind.getAddress().isAnyLocalAddress()) {
                    made.bind(new InetSocketAddress(bind.getAddress(), 0));
                }
                made.connect(address, CONNECT_MILLIS);
                DataOutputStream out = new DataOutputStream(new BufferedOutputStream(made.getOutputStream(), 1 << 16));
                DataInputStream in = new DataInputStream(new PromptInput(made, HANDSHAKE_MILLIS));
                Handshake.Result called = handshake.call(in, out);
                directory.met(address, called.node());
                if (called.node() == peer) {
                    talk(out, called.seal());
                    return true;
                }
                LOG.log(Level.DEBUG, "node {0} is not at {1}; there is {2}", peer, address, called.node());
            } catch (RefusedException e) {
                transport.refused(peer, String.valueOf(e.getMessage()));
            } catch (IOException | RuntimeException | GeneralSecurityException e) {
                LOG.log(Level.DEBUG, "the call to node " + peer + " at " + address + " ended", e);
                if (connected) {
                    return true;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            } finally {
                connected = false;
                queue.clear();
                bytesWaiting.set(0);
            }
        }
        return false;
    }

    private void talk(DataOutputStream out, Secret.@Nullable Seal seal)
            throws IOException, GeneralSecurityException, InterruptedException {
        long since = System.nanoTime();
        connected = true;
        while (!closed) {
            Message message = queue.poll(PING_MILLIS, TimeUnit.MILLISECONDS);
            if (message == null) {
                write(out, seal);
                out.flush();
            }
            while (message != null) {
                bytesWaiting.addAndGet(-size(message));
                MessageCodec.write(frame, message);
                write(out, seal);
                message = queue.poll();
                if (message == null) {
                    out.flush();
                }
            }
            if (transport.silence(peer) > SILENCE_NANOS && System.nanoTime() - since > SILENCE_NANOS) {
                return;
            }
        }
    }

    /** Writes the frame that was prepared; an empty one is a sign of life. */
    private void write(DataOutputStream out, Secret.@Nullable Seal seal) throws IOException, GeneralSecurityException {
        if (seal == null) {
            out.writeInt(frame.size());
            out.write(frame.array(), 0, frame.size());
        } else {
            byte[] sealed = seal.next(frame.array(), frame.size());
            out.writeInt(sealed.length);
            out.write(sealed);
        }
        frame.clear();
    }

    /** About how many bytes a message has. */
    private static long size(Message message) {
        if (message instanceof Message.Append append) {
            long size = 64;
            for (Entry entry : append.entries()) {
                size += entry.size();
            }
            return size;
        }
        if (message instanceof Message.Install install) {
            return 64L + install.piece().length;
        }
        return message instanceof Message.Applied applied ? 64L + applied.reply().length : 64;
    }
}
