package dev.weir.spi.settings;

import java.time.Instant;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One thing that an administrator changed. A value: applying it is {@link SettingsSnapshot#with}, keeping it is
 * {@link Settings#apply}.
 *
 * <p>Names have 1 to 256 characters and values at most 1,024; rates are texts that whoever makes the change has checked.
 */
public sealed interface SettingsChange {

    /** Who changed it, for the audit: an administrator's name, never a secret. */
    String who();

    /** When it was asked for. */
    Instant at();

    /** Whom it is about; null if not one subject alone. */
    default @Nullable Subject subject() {
        return null;
    }

    /** The rates that it sets (limit → row → rate). */
    default Map<String, Map<String, String>> limits() {
        return Map.of();
    }

    /** Sets the rates of one subject (limit → row → rate), in place of all it had. */
    record PutOverride(String who, Instant at, Subject subject, Map<String, Map<String, String>> limits)
            implements SettingsChange {
        public PutOverride {
            Bounds.name("who", who);
            limits = Bounds.rates(limits);
        }
    }

    /** Removes what was set for one subject; without effect if there was nothing. */
    record RemoveOverride(String who, Instant at, Subject subject) implements SettingsChange {
        public RemoveOverride {
            Bounds.name("who", who);
        }
    }

    /**
     * Sets the rates that everyone has who has none of their own (limit → row → rate), in place of all that were set so.
     * What is not named is as the configuration says; an empty map gives everything back to the configuration.
     */
    record PutDefaults(String who, Instant at, Map<String, Map<String, String>> limits) implements SettingsChange {
        public PutDefaults {
            Bounds.name("who", who);
            limits = Bounds.rates(limits);
        }
    }

    /** Exempts one subject from all limits. */
    record AddExempt(String who, Instant at, Subject subject) implements SettingsChange {
        public AddExempt {
            Bounds.name("who", who);
        }
    }

    /** Ends the exemption of one subject; without effect if there was none. */
    record RemoveExempt(String who, Instant at, Subject subject) implements SettingsChange {
        public RemoveExempt {
            Bounds.name("who", who);
        }
    }

    /** Exempts exactly these values of an attribute. */
    record ReplaceExempt(String who, Instant at, String attribute, Set<String> values) implements SettingsChange {
        public ReplaceExempt {
            Bounds.name("who", who);
            Bounds.name("attribute", attribute);
            values = Bounds.values(values);
        }
    }

    /**
     * Makes whole the budgets that exactly these attributes are the key of. The settings stay as they are; it is here so
     * that the audit tells who did it, and it is kept before any budget is touched.
     */
    record ResetBudgets(String who, Instant at, Map<String, String> attributes) implements SettingsChange {
        public ResetBudgets {
            Bounds.name("who", who);
            attributes = Bounds.attributes(attributes);
        }

        /** Values may identify a person. */
        @Override
        public String toString() {
            return "ResetBudgets" + attributes.keySet();
        }
    }
}
