package dev.weir.cli.log;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The few attributes of a logged request. Immutable. A lookup compares names one after the other, which for a handful of
 * names takes less time and memory than hashing.
 */
public final class AttributeMap extends AbstractMap<String, String> {
    /** Names and values in turn. */
    private final String[] pairs;

    AttributeMap(String[] pairs) {
        this.pairs = pairs;
    }

    /** A copy of a map. */
    public static AttributeMap copyOf(Map<String, String> map) {
        String[] pairs = new String[map.size() * 2];
        int length = 0;
        for (Map.Entry<String, String> entry : map.entrySet()) {
            pairs[length++] = entry.getKey();
            pairs[length++] = entry.getValue();
        }
        return new AttributeMap(pairs);
    }

    /** These attributes, and of {@code others} those whose names are not among these. */
    public AttributeMap orElse(AttributeMap others) {
        String[] merged = Arrays.copyOf(pairs, pairs.length + others.pairs.length);
        int length = pairs.length;
        for (int i = 0; i < others.pairs.length; i += 2) {
            if (get(others.pairs[i]) == null) {
                merged[length++] = others.pairs[i];
                merged[length++] = others.pairs[i + 1];
            }
        }
        return new AttributeMap(length == merged.length ? merged : Arrays.copyOf(merged, length));
    }

    @Override
    public @Nullable String get(@Nullable Object name) {
        for (int i = 0; i < pairs.length; i += 2) {
            if (pairs[i].equals(name)) {
                return pairs[i + 1];
            }
        }
        return null;
    }

    @Override
    public boolean containsKey(@Nullable Object name) {
        return get(name) != null;
    }

    @Override
    public boolean containsValue(@Nullable Object value) {
        for (int i = 1; i < pairs.length; i += 2) {
            if (pairs[i].equals(value)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public int size() {
        return pairs.length / 2;
    }

    @Override
    public void forEach(BiConsumer<? super String, ? super String> action) {
        for (int i = 0; i < pairs.length; i += 2) {
            action.accept(pairs[i], pairs[i + 1]);
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return super.equals(other);
    }

    @Override
    public int hashCode() {
        return super.hashCode();
    }

    @Override
    public Set<Map.Entry<String, String>> entrySet() {
        return new AbstractSet<>() {
            @Override
            public Iterator<Map.Entry<String, String>> iterator() {
                return new Iterator<>() {
                    private int next;

                    @Override
                    public boolean hasNext() {
                        return next < pairs.length;
                    }

                    @Override
                    public Map.Entry<String, String> next() {
                        Objects.checkIndex(next, pairs.length);
                        next += 2;
                        return Map.entry(pairs[next - 2], pairs[next - 1]);
                    }
                };
            }

            @Override
            public int size() {
                return AttributeMap.this.size();
            }
        };
    }
}
