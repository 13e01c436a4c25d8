package dev.weir.memory;

import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Visits a concurrent set in rounds, a few elements at a time. A thread that finds another one at work returns at once.
 */
final class GradualSweep<E> {
    private final Set<E> elements;
    private final Runnable onRound;
    private final AtomicBoolean busy = new AtomicBoolean();
    /** Guarded by {@link #busy}. */
    private Iterator<E> position;

    /**
     *
     * @param onRound called whenever all elements have been visited
     */
    GradualSweep(Set<E> elements, Runnable onRound) {
        this.elements = elements;
        this.onRound = onRound;
        this.position = elements.iterator();
    }

    void some(int count, Consumer<E> visit) {
        if (!busy.compareAndSet(false, true)) {
            return;
        }
        try {
            if (!position.hasNext()) {
                position = elements.iterator();
                onRound.run();
            }
            for (int i = 0; i < count && position.hasNext(); i++) {
                visit.accept(position.next());
            }
        } finally {
            busy.set(false);
        }
    }
}
