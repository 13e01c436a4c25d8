package dev.weir.engine;

import dev.weir.ArgumentException;
import dev.weir.Policy;
import dev.weir.engine.path.ClientText;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A request to be decided: its attributes and its cost. Immutable.
 *
 * @param attributes such as {@code user}, {@code ip}, {@code path}; one with an empty value counts as absent and is
 *     left out, except {@code path}, which is then {@code /}
 * @param cost the cost under every limit that does not set its own, at least 1
 * @param costs the costs under single limits, by limit name, at least 1
 * @param reportsStatus whether the caller will {@linkplain Weir#complete report} the status of the response, which
 *     limits with {@code charge} wait for; otherwise they charge at once, for good
 */
public record Request(Map<String, String> attributes, long cost, Map<String, Long> costs, boolean reportsStatus) {
    private static final int MAX_ATTRIBUTES = 64;
    private static final int MAX_NAME = 256;
    private static final int MAX_LENGTH = 8192;

    public Request {
        Objects.requireNonNull(attributes, "attributes is null; it may be empty");
        Objects.requireNonNull(costs, "costs is null; it may be empty");
        if (attributes.size() > MAX_ATTRIBUTES) {
            throw new IllegalArgumentException(
                    "there are " + attributes.size() + " attributes; there may be " + MAX_ATTRIBUTES);
        }
        attributes.forEach(Request::checkAttribute);
        attributes = withoutEmpty(attributes);
        checkCost("cost", cost);
        costs.forEach(Request::checkCosts);
    }

    /** A request without a report of the response's status. */
    public Request(Map<String, String> attributes, long cost, Map<String, Long> costs) {
        this(attributes, cost, costs, false);
    }

    /** A request that costs 1. */
    public static Request of(Map<String, String> attributes) {
        return new Request(attributes, 1, Map.of());
    }

    /** The same request, by a caller that will {@linkplain Weir#complete report} the status of the response. */
    public Request reportingStatus() {
        return new Request(attributes, cost, costs, true);
    }

    /** The attributes without empty values: an empty user name is no user. */
    private static Map<String, String> withoutEmpty(Map<String, String> given) {
        if (!given.containsValue("")) {
            return given;
        }
        Map<String, String> present = new LinkedHashMap<>(given);
        present.entrySet()
                .removeIf(entry -> entry.getValue().isEmpty() && !entry.getKey().equals("path"));
        return Collections.unmodifiableMap(present);
    }

    private static void checkCosts(@Nullable String limit, @Nullable Long cost) {
        if (limit == null || cost == null) {
            throw new ArgumentException(
                    "costs",
                    limit == null
                            ? "costs has a null key; it must be a limit's name"
                            : "costs." + ClientText.shown(limit, 64) + " is null; leave it out");
        }
        checkCost("costs." + ClientText.shown(limit, 64), cost);
    }

    private static void checkAttribute(@Nullable String name, @Nullable String value) {
        if (name == null) {
            throw new IllegalArgumentException(
                    "an attribute's name is null; it must have 1 to " + MAX_NAME + " characters");
        }
        if (name.isEmpty() || name.length() > MAX_NAME) {
            throw new IllegalArgumentException(
                    "an attribute's name has " + name.length() + " characters; it must have 1 to " + MAX_NAME);
        }
        if (value == null) {
            throw badAttribute(name, "has no value; leave it out");
        }
        if (value.length() > MAX_LENGTH) {
            throw badAttribute(name, "has " + value.length() + " characters; it may have " + MAX_LENGTH);
        }
    }

    private static ArgumentException badAttribute(String name, String fault) {
        String shown = ClientText.shown(name, 64);
        return new ArgumentException("attributes." + shown, "attribute '" + shown + "' " + fault);
    }

    private static void checkCost(String field, long cost) {
        if (cost < 1 || cost > Policy.MAX_COUNT) {
            throw new ArgumentException(
                    field, field + " is " + cost + "; it must be a whole number from 1 to " + Policy.MAX_COUNT);
        }
    }
}
