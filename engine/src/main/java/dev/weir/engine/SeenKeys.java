package dev.weir.engine;

import dev.weir.Key;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The keys of several parts that were charged lately, so that a reset finds those of a subject whose other parts can have
 * any value. A fixed number: a new key takes the place of another with the same low bits of its hash. Safe for use by any
 * number of threads; a key that is there already costs one read.
 */
final class SeenKeys {
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

    /** Long values are not kept: what a client can make this hold stays small. */
    private void remember(int place, Key key) {
        int length = 0;
        for (String value : key.values()) {
            length += value.length();
        }
        if (length <= LONGEST) {
            places.setRelease(place, key);
        }
    }

    /** Those of one limit. */
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
