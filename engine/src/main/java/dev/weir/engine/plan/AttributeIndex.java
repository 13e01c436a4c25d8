package dev.weir.engine.plan;

import java.util.LinkedHashMap;
import java.util.Map;

/** Numbers the attributes that a plan uses, so that each is looked up once per request. */
final class AttributeIndex {
    /** The full path, for comparisons; keys contain a bounded one. No attribute can have this name. */
    static final String PATH_TEXT = "path in full";

    private final Map<String, Integer> numbers = new LinkedHashMap<>();

    /** The attribute's number; a new attribute gets the next one. */
    int of(String name) {
        return numbers.computeIfAbsent(name, absent -> numbers.size());
    }

    /** The number under which an attribute is compared to patterns. */
    int ofCompared(String name) {
        return of(name.equals("path") ? PATH_TEXT : name);
    }

    String[] names() {
        return numbers.keySet().toArray(new String[0]);
    }
}
