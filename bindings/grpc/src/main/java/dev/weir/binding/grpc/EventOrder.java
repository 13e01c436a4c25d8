package dev.weir.binding.grpc;

import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Runs the events of one call one after another, in the order in which they come, whatever threads bring them: gRPC's own,
 * and the one that brings a decision. An event that comes while another runs is left to the thread of that one.
 *
 * <p>An event that throws leaves those behind it to the next; gRPC, which then ends the call, always brings one.
 */
final class EventOrder {
    /** Both guarded by this. Few ever wait: no message is asked for before the one in hand is dealt with. */
    private final Queue<Runnable> waiting = new ArrayDeque<>(4);

    private boolean isRunning;

    void run(Runnable event) {
        synchronized (this) {
            waiting.add(event);
            if (isRunning) {
                return;
            }
            isRunning = true;
        }
        Runnable next = next();
        while (next != null) {
            try {
                next.run();
            } catch (RuntimeException | Error e) {
                stop();
                throw e;
            }
            next = next();
        }
    }

    private synchronized @Nullable Runnable next() {
        Runnable next = waiting.poll();
        isRunning = next != null;
        return next;
    }

    private synchronized void stop() {
        isRunning = false;
    }
}
