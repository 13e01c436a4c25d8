package dev.weir.engine.event;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Something that happened, told once to whoever listens.
 *
 * <p>Events about requests carry the request's attributes, which may identify people; {@code toString} is not for logs.
 */
public sealed interface Event {

    /** When it happened. */
    Instant at();

    /** A request, or a part of one limit's answer to it. */
    sealed interface OfRequest extends Event {
        /** What is known of the request: {@code user}, {@code ip}, {@code agent} …; unmodifiable. */
        Map<String, String> attributes();
    }

    /**
     * A request passed.
     *
     * @param limit the tightest limit that applied; null when none did
     * @param remaining what that limit has left; 0 when none applied
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

    /** A request passed and took a limit beyond its warning mark (A7). */
    record Warned(Instant at, Map<String, String> attributes, String limit, long remaining, long capacity)
            implements OfRequest {
        public Warned {
            attributes = Map.copyOf(attributes);
        }
    }

    /**
     * A request was refused; for a shadow limit, would have been.
     *
     * @param limit the outermost limit that refused
     * @param scope whose limit it is: {@code global}, {@code ip}, {@code user} …
     * @param resource what it limits apart from the scope, if it says so; null otherwise
     * @param capacity the limit's number
     * @param retryAfter how long to wait; null when waiting does not help
     * @param consecutiveViolations how many in a row, this one included; 0 when nobody counts them
     * @param reason {@code limited}, {@code impossible}, {@code unavailable} or {@code penalized}
     * @param shadow whether the request passed all the same
     */
    record Denied(
            Instant at,
            Map<String, String> attributes,
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
        }
    }

    /**
     * A budget that costs are charged to (AI tokens per day) has too little left (B7).
     *
     * @param plan the row that chose the budget; null when there are no rows
     * @param budget how much it holds
     * @param requested how much was asked for
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
     * An alert's condition began to hold: once per episode (A13, B13).
     *
     * @param name the alert's name
     * @param subject who caused it, by attribute; empty for an alert about everybody
     * @param kind what is watched
     * @param observed violations, or the denied share in percent
     * @param threshold the number from which it is an alert
     * @param within over how long
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

            /** As configuration and JSON call it. */
            public String text() {
                return text;
            }
        }
    }

    /** The store stopped answering; {@code cause} has no keys and no secrets. */
    record StoreUnavailable(Instant at, String cause) implements Event {}

    /** The store answers again. */
    record StoreRecovered(Instant at, Duration unavailable) implements Event {}

    /** An administrator's change is in force here. */
    record SettingsChanged(
            Instant at, long version, @Nullable String who) implements Event {}

    /** A changed configuration is in force. */
    record ConfigurationReloaded(Instant at, String source) implements Event {}

    /** A changed configuration has faults, and the last good one stays. */
    record ConfigurationRejected(Instant at, String source, String faults) implements Event {}
}
