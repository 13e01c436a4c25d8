package dev.weir.engine;

import java.util.LinkedHashMap;
import java.util.Map;

/** The attributes that a plan looks at, numbered, so that each is looked up once a request. */
final class AttributeIndex {
    /** The path in full, for comparisons; keys have it bounded. No attribute has such a name. */
    static final String PATH_TEXT = "path in full";

    private final Map<String, Integer> numbers = new LinkedHashMap<>();

    /** The attribute's number; a new one gets the next. */
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
