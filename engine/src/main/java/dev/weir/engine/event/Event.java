package dev.weir.engine.event;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An event, published once to all listeners. */
public sealed interface Event {

    /** When it happened. */
    Instant at();

    /** An event about a request, or about one limit's result for it. */
    sealed interface OfRequest extends Event {
        /** The known attributes of the request: {@code user}, {@code ip}, {@code agent} …; unmodifiable. */
        Map<String, String> attributes();
    }

    /**
     * A request was allowed.
     *
     * @param limit the tightest limit that applied; null if none did
     * @param remaining what that limit has left; 0 if none applied
     */
    record Allowed(
            Instant at,
            Map<String, String> attributes,
            @Nullable String limit,
            long remaining) implements OfRequest {
        public Allowed {
            attributes = Map.copyOf(attributes);
        }
    }

    /** A request was allowed and took a limit beyond its warning mark. */
    record Warned(Instant at, Map<String, String> attributes, String limit, long remaining, long capacity)
            implements OfRequest {
        public Warned {
            attributes = Map.copyOf(attributes);
        }
    }

    /**
     * A request was refused, or would have been by a shadow limit.
     *
     * @param key the key of the budget that refused, by attribute, in the order of the key: {@code agent}, {@code
     *     channel} …; empty if all requests share it; unmodifiable
     * @param limit the outermost limit that refused; {@code penalty} for a penalty
     * @param scope what the limit is per: {@code global}, {@code ip}, {@code user} …
     * @param resource what the limit restricts apart from its scope; null if that is not known
     * @param capacity the limit's capacity
     * @param retryAfter how long to wait; null if waiting does not help
     * @param consecutiveViolations consecutive violations, this one included; 0 without a penalty
     * @param reason {@code limited}, {@code impossible}, {@code unavailable} or {@code penalized}
     * @param shadow whether the request was allowed nevertheless
     */
    record Denied(
            Instant at,
            Map<String, String> attributes,
            Map<String, String> key,
            String limit,
            String scope,
            @Nullable String resource,
            long capacity,
            @Nullable Duration retryAfter,
            long consecutiveViolations,
            String reason,
            boolean shadow)
            implements OfRequest {
        public Denied {
            attributes = Map.copyOf(attributes);
            key = Collections.unmodifiableMap(new LinkedHashMap<>(key));
        }
    }

    /**
     * A budget with variable costs, such as AI tokens per day, has too little left for a request.
     *
     * @param plan the row that chose the budget; null without rows
     * @param budget its capacity
     * @param requested the cost of the request
     */
    record BudgetExhausted(
            Instant at,
            Map<String, String> attributes,
            String limit,
            @Nullable String plan,
            long budget,
            long requested)
            implements OfRequest {
        public BudgetExhausted {
            attributes = Map.copyOf(attributes);
        }
    }

    /**
     * The condition of an alert began to hold; published once per episode.
     *
     * @param name the alert's name
     * @param subject the subject that caused it, by attribute; empty for an alert about all requests
     * @param kind what is watched
     * @param observed the number of violations, or the denied share in percent
     * @param threshold the number from which on it is an alert
     * @param within the duration that is looked at
     */
    record Alert(
            Instant at,
            String name,
            Kind kind,
            Map<String, String> subject,
            long observed,
            long threshold,
            Duration within)
            implements Event {
        public Alert {
            subject = Map.copyOf(subject);
        }

        /** What an alert watches. */
        public enum Kind {
            VIOLATIONS("violations"),
            DENIED_SHARE("denied-share");

            private final String text;

            Kind(String text) {
                this.text = text;
            }

            /** The name in configurations and in JSON. */
            public String text() {
                return text;
            }
        }
    }

    /**
     * The condition of an alert no longer holds; follows each {@link Alert} of an episode that ends.
     *
     * @param since when the alert was raised
     * @param last when the last request was refused in the episode
     * @param count how many requests were refused in it
     */
    record AlertEnded(
            Instant at,
            String name,
            Alert.Kind kind,
            Map<String, String> subject,
            Instant since,
            Instant last,
            long count)
            implements Event {
        public AlertEnded {
            subject = Map.copyOf(subject);
        }
    }

    /** The store stopped answering; {@code cause} contains no keys and no secrets. */
    record StoreUnavailable(Instant at, String cause) implements Event {}

    /** The store answers again. */
    record StoreRecovered(Instant at, Duration unavailable) implements Event {}

    /** A change of the runtime settings is in force on this node. */
    record SettingsChanged(
            Instant at, long version, @Nullable String who) implements Event {}

    /**
     * A changed configuration is in force.
     *
     * @param changes what was changed, a line for each value; without secrets
     */
    record ConfigurationReloaded(Instant at, String source, List<String> changes) implements Event {
        public ConfigurationReloaded {
            changes = List.copyOf(changes);
        }
    }

    /** A changed configuration has faults; the last valid one stays in force. */
    record ConfigurationRejected(Instant at, String source, String faults) implements Event {}
}
