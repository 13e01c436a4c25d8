package dev.weir.memory;

import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** Goes round and round a concurrent set, a few elements at a time; a thread that finds another at it passes by. */
final class GradualSweep<E> {
    private final Set<E> elements;
    private final AtomicBoolean busy = new AtomicBoolean();
    /** Guarded by {@link #busy}. */
    private Iterator<E> position;

    GradualSweep(Set<E> elements) {
        this.elements = elements;
        this.position = elements.iterator();
    }

    void some(int count, Consumer<E> visit) {
        if (!busy.compareAndSet(false, true)) {
            return;
        }
        try {
            if (!position.hasNext()) {
                position = elements.iterator();
            }
            for (int i = 0; i < count && position.hasNext(); i++) {
                visit.accept(position.next());
            }
        } finally {
            busy.set(false);
        }
    }
}
