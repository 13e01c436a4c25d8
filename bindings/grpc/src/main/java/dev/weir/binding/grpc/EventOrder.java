package dev.weir.binding.grpc;

import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Runs the events of one call one at a time, in the order of their arrival. Events come from threads of gRPC and from
 * the thread that completes a decision. The thread of the running event also runs the events that arrive meanwhile.
 *
 * <p>If an event throws, the next arriving event runs the ones behind it. gRPC then ends the call, so one always
 * arrives.
 */
final class EventOrder {
    /**
     * Both guarded by this. The queue stays short: the next message is requested only after the current one is decided.
     */
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
