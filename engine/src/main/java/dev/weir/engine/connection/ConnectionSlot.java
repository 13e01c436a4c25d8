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

/** The slot of one connection, or the refusal of one. Safe for use by any thread. */
public final class ConnectionSlot {
    private static final Logger LOG = System.getLogger(ConnectionSlot.class.getName());

    private final Weir weir;
    private final Request request;
    private final Duration ttl;
    private final Outcome outcome;
    private final Consumer<ConnectionSlot> whenReleased;
    /** Null when there is none, and once it is released. Guarded by this. */
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

    /** What the limits say, for the handshake's headers. */
    public Outcome outcome() {
        return outcome;
    }

    /** Called should the slot be lost, because it could not be renewed in time and others took it meanwhile. */
    public synchronized void whenLost(Runnable newWhenLost) {
        whenLost = newWhenLost;
    }

    /** Gives the slot back: at every kind of end of the connection; harmless when repeated. */
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
                // A store that does not answer may do so the next time; until then the lease runs on.
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

    /** This process slept too long, and the slot was freed: it is asked for like any other. */
    private void acquireAgain(String lost) {
        weir.acquireAsync(request, ttl).whenDone((hold, failure) -> {
            String superfluous = null;
            Runnable goodbye = null;
            synchronized (this) {
                isRenewing = false;
                if (hold == null || !hold.granted()) {
                    // Refused, and not merely unanswered.
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

    /** What the store does not hear of is free when its time has passed. */
    private void giveBack(String held) {
        weir.releaseAsync(held).whenDone((done, failure) -> {
            if (failure != null) {
                LOG.log(Level.WARNING, "a connection's slot could not be released; it ends by itself", failure);
            }
        });
    }
}
