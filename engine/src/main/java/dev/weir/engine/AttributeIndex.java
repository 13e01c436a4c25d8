package dev.weir.engine;

import java.util.LinkedHashMap;
import java.util.Map;

/** The attributes that a plan looks at, numbered, so that each is looked up once a request. */
final class AttributeIndex {
    private final Map<String, Integer> numbers = new LinkedHashMap<>();

    /** The attribute's number; a new one gets the next. */
    int of(String name) {
        return numbers.computeIfAbsent(name, absent -> numbers.size());
    }

    String[] names() {
        return numbers.keySet().toArray(new String[0]);
    }
}
