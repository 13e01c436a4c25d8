package dev.weir.engine.connection;

import dev.weir.engine.Hold;
import dev.weir.engine.Outcome;
import dev.weir.engine.Request;
import dev.weir.engine.Weir;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The slot of one connection, or its refusal. Safe for use by any number of threads. */
public final class ConnectionSlot {
    private static final Logger LOG = System.getLogger(ConnectionSlot.class.getName());

    private final Weir weir;
    private final Request request;
    private final Duration ttl;
    private final Outcome outcome;
    private final Consumer<ConnectionSlot> whenReleased;
    /** Null if there is no lease, and after its release. Guarded by this. */
    private @Nullable String lease;

    private boolean isRenewing;
    private Runnable whenLost = () -> {};

    ConnectionSlot(Weir weir, Request request, Duration ttl, Hold hold, Consumer<ConnectionSlot> whenReleased) {
        this.weir = weir;
        this.request = request;
        this.ttl = ttl;
        this.outcome = hold.outcome();
        this.lease = hold.id();
        this.whenReleased = whenReleased;
    }

    /** Whether the connection may be opened. */
    public boolean granted() {
        return outcome.allowed();
    }

    /** The outcome of the request for a slot, for the handshake's headers. */
    public Outcome outcome() {
        return outcome;
    }

    /** Sets the callback for the loss of the slot: it could not be renewed in time, and other connections took it. */
    public synchronized void whenLost(Runnable newWhenLost) {
        whenLost = newWhenLost;
    }

    /** Releases the slot, whenever and however the connection ends; repeating it has no effect. */
    public void release() {
        String held;
        synchronized (this) {
            held = lease;
            lease = null;
        }
        if (held != null) {
            whenReleased.accept(this);
            giveBack(held);
        }
    }

    void renew() {
        String held;
        synchronized (this) {
            held = lease;
            if (held == null || isRenewing) {
                return;
            }
            isRenewing = true;
        }
        try {
            weir.renewAsync(held, ttl).whenDone((isHeld, failure) -> {
                // If the store does not answer, the next renewal may succeed; until then the lease stays valid.
                if (Boolean.FALSE.equals(isHeld)) {
                    acquireAgain(held);
                } else {
                    renewed();
                }
            });
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "a connection's slot could not be renewed", e);
            renewed();
        }
    }

    private synchronized void renewed() {
        isRenewing = false;
    }

    /** Requests the slot again after it expired because this process was paused for too long. */
    private void acquireAgain(String lost) {
        weir.acquireAsync(request, ttl).whenDone((hold, failure) -> {
            String superfluous = null;
            Runnable goodbye = null;
            synchronized (this) {
                isRenewing = false;
                if (hold == null || !hold.granted()) {
                    // Refused; not just unanswered.
                    goodbye = lost.equals(lease) && hold != null ? whenLost : null;
                    lease = goodbye == null ? lease : null;
                } else if (lost.equals(lease)) {
                    lease = hold.id();
                } else {
                    superfluous = hold.id();
                }
            }
            if (superfluous != null) {
                giveBack(superfluous);
            }
            if (goodbye != null) {
                whenReleased.accept(this);
                goodbye.run();
            }
        });
    }

    /** Releases a lease. If the store does not answer, the lease expires. */
    private void giveBack(String held) {
        weir.releaseAsync(held).whenDone((done, failure) -> {
            if (failure != null) {
                LOG.log(Level.WARNING, "a connection's slot could not be released; it ends by itself", failure);
            }
        });
    }
}
