package dev.weir.spi.settings;

import java.time.Instant;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One change by an administrator. A value: {@link SettingsSnapshot#with} applies it, {@link Settings#apply} stores it.
 *
 * <p>Names have 1 to 256 characters and values at most 1,024. Rates are texts that the caller has checked.
 */
public sealed interface SettingsChange {

    /** The administrator's name, for the audit; never a secret. */
    String who();

    /** The time of the request. */
    Instant at();

    /** The subject that it changes; null if it is not a single one. */
    default @Nullable Subject subject() {
        return null;
    }

    /** The rates that it sets (limit → row → rate). */
    default Map<String, Map<String, String>> limits() {
        return Map.of();
    }

    /** How long it holds, and why it was made. */
    default Validity validity() {
        return Validity.UNLIMITED;
    }

    /** Sets the rates of one subject (limit → row → rate), and replaces all that it had. */
    record PutOverride(
            String who, Instant at, Subject subject, Map<String, Map<String, String>> limits, Validity validity)
            implements SettingsChange {
        public PutOverride {
            Bounds.name("who", who);
            limits = Bounds.rates(limits);
        }

        /** Sets the rates until another change replaces them. */
        public PutOverride(String who, Instant at, Subject subject, Map<String, Map<String, String>> limits) {
            this(who, at, subject, limits, Validity.UNLIMITED);
        }
    }

    /** Ends the rates of one subject if their time is over at {@link #at}; without effect otherwise. */
    record ExpireOverride(String who, Instant at, Subject subject) implements SettingsChange {
        public ExpireOverride {
            Bounds.name("who", who);
        }
    }

    /** Ends the exemption of one subject if its time is over at {@link #at}; without effect otherwise. */
    record ExpireExempt(String who, Instant at, Subject subject) implements SettingsChange {
        public ExpireExempt {
            Bounds.name("who", who);
        }
    }

    /** Removes the rates of one subject; without effect if there are none. */
    record RemoveOverride(String who, Instant at, Subject subject) implements SettingsChange {
        public RemoveOverride {
            Bounds.name("who", who);
        }
    }

    /**
     * Sets the rates of all subjects without rates of their own (limit → row → rate), and replaces all earlier ones.
     * Limits that are not named follow the configuration; an empty map restores the configuration for all.
     */
    record PutDefaults(String who, Instant at, Map<String, Map<String, String>> limits) implements SettingsChange {
        public PutDefaults {
            Bounds.name("who", who);
            limits = Bounds.rates(limits);
        }
    }

    /** Exempts one subject from all limits. */
    record AddExempt(String who, Instant at, Subject subject, Validity validity) implements SettingsChange {
        public AddExempt {
            Bounds.name("who", who);
        }

        /** Exempts the subject until another change ends that. */
        public AddExempt(String who, Instant at, Subject subject) {
            this(who, at, subject, Validity.UNLIMITED);
        }
    }

    /** Ends the exemption of one subject; without effect if there was none. */
    record RemoveExempt(String who, Instant at, Subject subject) implements SettingsChange {
        public RemoveExempt {
            Bounds.name("who", who);
        }
    }

    /** Exempts exactly these values of an attribute. */
    record ReplaceExempt(String who, Instant at, String attribute, Set<String> values, Validity validity)
            implements SettingsChange {
        public ReplaceExempt {
            Bounds.name("who", who);
            Bounds.name("attribute", attribute);
            values = Bounds.values(values);
        }

        /** Exempts the values until another change ends that. */
        public ReplaceExempt(String who, Instant at, String attribute, Set<String> values) {
            this(who, at, attribute, values, Validity.UNLIMITED);
        }
    }

    /**
     * Resets all budgets whose key consists of exactly these attributes. The settings do not change. It is stored
     * before any budget is reset, so that the audit has the administrator's name.
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
