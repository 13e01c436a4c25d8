package dev.weir.spi.settings;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * All settings of one version. Immutable; the order of every map and set is that of the changes.
 *
 * @param version the number of changes that led to these settings; 0 for none
 * @param defaults limit → row → rate for every subject without an override
 * @param overrides subject → limit → row → rate, at most 10,000 subjects
 * @param exempt attribute → the values that no limit applies to, at most 10,000 in all
 */
public record SettingsSnapshot(
        long version,
        Map<String, Map<String, String>> defaults,
        Map<Subject, Map<String, Map<String, String>>> overrides,
        Map<String, Set<String>> exempt) {

    private static final SettingsSnapshot EMPTY = new SettingsSnapshot(0, Map.of(), Map.of(), Map.of());

    public SettingsSnapshot {
        if (version < 0) {
            throw new IllegalArgumentException("version is " + version + "; it must be at least 0");
        }
        defaults = Bounds.rates(defaults);
        overrides = copyOfOverrides(overrides);
        exempt = copyOfExempt(exempt);
    }

    /** No settings. */
    public static SettingsSnapshot empty() {
        return EMPTY;
    }

    /** Whether no limit applies to the subject. */
    public boolean isExempt(String attribute, String value) {
        return exempt.getOrDefault(attribute, Set.of()).contains(value);
    }

    /**
     * Returns the settings after a change.
     *
     * @throws IllegalArgumentException if they would become too many
     */
    public SettingsSnapshot with(SettingsChange change) {
        Map<String, Map<String, String>> newDefaults = defaults;
        Map<Subject, Map<String, Map<String, String>>> newOverrides = overrides;
        Map<String, Set<String>> newExempt = exempt;
        if (change instanceof SettingsChange.PutDefaults put) {
            newDefaults = put.limits();
        } else if (change instanceof SettingsChange.PutOverride put) {
            newOverrides = new LinkedHashMap<>(overrides);
            newOverrides.put(put.subject(), put.limits());
        } else if (change instanceof SettingsChange.RemoveOverride remove) {
            newOverrides = new LinkedHashMap<>(overrides);
            newOverrides.remove(remove.subject());
        } else {
            newExempt = exemptAfter(change);
        }
        return new SettingsSnapshot(version + 1, newDefaults, newOverrides, newExempt);
    }

    private Map<String, Set<String>> exemptAfter(SettingsChange change) {
        Subject subject = change.subject();
        String attribute;
        Set<String> values;
        if (change instanceof SettingsChange.ReplaceExempt replace) {
            attribute = replace.attribute();
            values = replace.values();
        } else if (subject != null) {
            attribute = subject.attribute();
            values = new LinkedHashSet<>(exempt.getOrDefault(attribute, Set.of()));
            boolean unused = change instanceof SettingsChange.AddExempt
                    ? values.add(subject.value())
                    : values.remove(subject.value());
        } else {
            return exempt;
        }
        Map<String, Set<String>> after = new LinkedHashMap<>(exempt);
        after.put(attribute, values);
        after.values().removeIf(Set::isEmpty);
        return after;
    }

    private static Map<Subject, Map<String, Map<String, String>>> copyOfOverrides(
            Map<Subject, Map<String, Map<String, String>>> overrides) {
        Bounds.count("overrides", overrides.size(), Bounds.MAX_OVERRIDES);
        Map<Subject, Map<String, Map<String, String>>> copy = new LinkedHashMap<>();
        overrides.forEach((subject, limits) -> copy.put(subject, Bounds.rates(limits)));
        return Collections.unmodifiableMap(copy);
    }

    private static Map<String, Set<String>> copyOfExempt(Map<String, Set<String>> exempt) {
        Map<String, Set<String>> copy = new LinkedHashMap<>();
        int count = 0;
        for (Map.Entry<String, Set<String>> entry : exempt.entrySet()) {
            Bounds.name("attribute", entry.getKey());
            copy.put(entry.getKey(), Bounds.values(entry.getValue()));
            count += entry.getValue().size();
        }
        Bounds.count("exempt values", count, Bounds.MAX_EXEMPT);
        return Collections.unmodifiableMap(copy);
    }
}
