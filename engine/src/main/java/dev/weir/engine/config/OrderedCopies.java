package dev.weir.engine.config;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/** Unmodifiable copies that keep the order of the file, which {@link Map#copyOf} does not. */
final class OrderedCopies {
    private OrderedCopies() {}

    static <V> Map<String, V> ordered(Map<String, V> map) {
        return Collections.unmodifiableMap(new LinkedHashMap<>(map));
    }

    /** Like {@code ordered(map)}, with a copy of every value. */
    static <V> Map<String, V> ordered(Map<String, V> map, UnaryOperator<V> copy) {
        Map<String, V> copies = new LinkedHashMap<>();
        map.forEach((key, value) -> copies.put(key, copy.apply(value)));
        return Collections.unmodifiableMap(copies);
    }

    static Set<String> ordered(Set<String> set) {
        return Collections.unmodifiableSet(new LinkedHashSet<>(set));
    }

    static List<List<String>> lists(List<List<String>> lists) {
        return lists.stream().map(List::copyOf).toList();
    }
}
