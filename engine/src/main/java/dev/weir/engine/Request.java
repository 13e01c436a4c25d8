package dev.weir.engine;

import dev.weir.Policy;
import java.util.Map;

/**
 * What is asked: who and what, as attributes, and at what price.
 *
 * @param attributes such as {@code user}, {@code ip}, {@code path}
 * @param cost what every limit that does not set its own charges, at least 1
 * @param costs what single limits charge, by their names, at least 1
 */
public record Request(Map<String, String> attributes, long cost, Map<String, Long> costs) {
    private static final int MAX_ATTRIBUTES = 64;
    private static final int MAX_LENGTH = 8192;

    public Request {
        if (attributes.size() > MAX_ATTRIBUTES) {
            throw new IllegalArgumentException(
                    "there are " + attributes.size() + " attributes; there may be " + MAX_ATTRIBUTES);
        }
        attributes.forEach(Request::checkAttribute);
        checkCost("cost", cost);
        costs.forEach((limit, price) -> checkCost("costs." + limit, price));
    }

    /** A request that costs one. */
    public static Request of(Map<String, String> attributes) {
        return new Request(attributes, 1, Map.of());
    }

    private static void checkAttribute(String name, String value) {
        if (value.length() > MAX_LENGTH) {
            throw new IllegalArgumentException(
                    "attribute '" + name + "' has " + value.length() + " characters; it may have " + MAX_LENGTH);
        }
    }

    private static void checkCost(String field, long cost) {
        if (cost < 1 || cost > Policy.MAX_COUNT) {
            throw new IllegalArgumentException(
                    field + " is " + cost + "; it must be a whole number from 1 to " + Policy.MAX_COUNT);
        }
    }
}
