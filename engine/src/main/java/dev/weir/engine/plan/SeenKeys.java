package dev.weir.engine.plan;

import dev.weir.Key;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * A fixed-size cache of recently charged keys with several parts. With it a reset finds the keys of a subject whose
 * other parts can have any value. A new key replaces another with the same low bits of its hash. Safe for use by any
 * number of threads; a key that is already there costs one read.
 */
public final class SeenKeys {
    private static final int PLACES = 8_192;
    private static final int LONGEST = 512;

    private final AtomicReferenceArray<@Nullable Key> places = new AtomicReferenceArray<>(PLACES);

    void note(Key key) {
        int place = (int) key.hash() & (PLACES - 1);
        Key known = places.getAcquire(place);
        if (known == null || known.hash() != key.hash()) {
            remember(place, key);
        }
    }

    /** Long values are not cached, so that the memory a client can fill stays small. */
    private void remember(int place, Key key) {
        int length = 0;
        for (String value : key.values()) {
            length += value.length();
        }
        if (length <= LONGEST) {
            places.setRelease(place, key);
        }
    }

    /** The cached keys of one limit. */
    List<Key> of(String limit) {
        List<Key> found = new ArrayList<>();
        for (int i = 0; i < PLACES; i++) {
            Key key = places.getAcquire(i);
            if (key != null && key.scope().equals(limit)) {
                found.add(key);
            }
        }
        return found;
    }
}
