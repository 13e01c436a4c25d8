package dev.weir.store.redis;

import dev.weir.remote.Trust;
import dev.weir.remote.Vigil;
import io.netty.channel.SelectStrategy;
import io.netty.util.IntSupplier;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * How an event loop waits for what mostly comes soon: it looks again and again for a moment, and only then sleeps.
 *
 * <p>It does not yield between its looks, unlike a thread that waits: where others have work, they would not let it go on
 * for milliseconds, whereas one who sleeps is woken at once. So it sleeps when it notices that it was held up, and where
 * that or a late answer is usual, nearly always.
 *
 * <p>Every loop has its own; not safe for use by several threads.
 */
final class AwakeSelect implements SelectStrategy {
    /** Between two looks, which take a microsecond, so much passes only if somebody else had the core. */
    private static final long HELD_UP_NANOS = 30_000;

    private final BooleanSupplier isAwaited;
    private final LongSupplier nanoClock;
    private final Trust trust = new Trust();
    private boolean awake;
    private long begunAt;
    private long lookedAt;

    /** @param isAwaited whether something is to come for which nobody else is awake */
    AwakeSelect(BooleanSupplier isAwaited, LongSupplier nanoClock) {
        this.isAwaited = isAwaited;
        this.nanoClock = nanoClock;
    }

    @Override
    public int calculateStrategy(IntSupplier selectNow, boolean hasTasks) throws Exception {
        if (hasTasks) {
            awake = false;
            return selectNow.get();
        }
        if (!isAwaited.getAsBoolean()) {
            awake = false;
            return SELECT;
        }
        long now = nanoClock.getAsLong();
        if (!awake) {
            if (!trust.isWorthIt()) {
                return SELECT;
            }
            awake = true;
            begunAt = now;
            lookedAt = now;
        }
        int found = selectNow.get();
        if (found > 0) {
            awake = false;
            trust.paid();
            return found;
        }
        if (now - begunAt > Vigil.LONGEST_NANOS || now - lookedAt > HELD_UP_NANOS) {
            awake = false;
            trust.failed();
            return SELECT;
        }
        lookedAt = now;
        // Not 0, which Netty 4.1 takes for a select that returned too early: after 512 in a row it makes a new
        // selector.
        return CONTINUE;
    }
}
