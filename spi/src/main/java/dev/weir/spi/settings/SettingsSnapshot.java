package dev.weir.spi.settings;

import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All settings of one version. Immutable; the order of every map and set is that of the changes.
 *
 * @param version the number of changes that led to these settings; 0 for none
 * @param defaults limit → row → rate for every subject without an override
 * @param overrides subject → limit → row → rate, at most 10,000 subjects
 * @param exempt attribute → the values that no limit applies to, at most 10,000 in all
 * @param overrideValidity the overrides that end by themselves or have a reason
 * @param exemptValidity the exemptions that end by themselves or have a reason
 */
public record SettingsSnapshot(
        long version,
        Map<String, Map<String, String>> defaults,
        Map<Subject, Map<String, Map<String, String>>> overrides,
        Map<String, Set<String>> exempt,
        Map<Subject, Validity> overrideValidity,
        Map<Subject, Validity> exemptValidity) {

    private static final SettingsSnapshot EMPTY = new SettingsSnapshot(0, Map.of(), Map.of(), Map.of());

    public SettingsSnapshot {
        if (version < 0) {
            throw new IllegalArgumentException("version is " + version + "; it must be at least 0");
        }
        defaults = Bounds.rates(defaults);
        overrides = copyOfOverrides(overrides);
        exempt = copyOfExempt(exempt);
        overrideValidity = copyOfValidity(overrideValidity, overrides.keySet());
        exemptValidity = copyOfValidity(exemptValidity, subjects(exempt));
    }

    /** Settings that only changes end. */
    public SettingsSnapshot(
            long version,
            Map<String, Map<String, String>> defaults,
            Map<Subject, Map<String, Map<String, String>>> overrides,
            Map<String, Set<String>> exempt) {
        this(version, defaults, overrides, exempt, Map.of(), Map.of());
    }

    /** No settings. */
    public static SettingsSnapshot empty() {
        return EMPTY;
    }

    /** Whether no limit applies to the subject. */
    public boolean isExempt(String attribute, String value) {
        return exempt.getOrDefault(attribute, Set.of()).contains(value);
    }

    /** Returns the settings that hold at this time: these without the overrides and exemptions that are over. */
    public SettingsSnapshot at(Instant now) {
        boolean isOver = validities().anyMatch(validity -> validity.isOver(now));
        if (!isOver) {
            return this;
        }
        Map<Subject, Map<String, Map<String, String>>> newOverrides = new LinkedHashMap<>(overrides);
        overrideValidity.forEach((subject, validity) -> {
            if (validity.isOver(now)) {
                newOverrides.remove(subject);
            }
        });
        Map<String, Set<String>> newExempt = exempt;
        for (Map.Entry<Subject, Validity> entry : exemptValidity.entrySet()) {
            if (entry.getValue().isOver(now)) {
                newExempt = without(newExempt, entry.getKey());
            }
        }
        return new SettingsSnapshot(version, defaults, newOverrides, newExempt, overrideValidity, exemptValidity);
    }

    /** Returns when the first of these overrides and exemptions ends by itself; null if none does. */
    public @Nullable Instant firstEnd() {
        return validities()
                .map(Validity::expiresAt)
                .filter(Objects::nonNull)
                .min(Instant::compareTo)
                .orElse(null);
    }

    private Stream<Validity> validities() {
        return Stream.of(overrideValidity, exemptValidity).flatMap(all -> all.values().stream());
    }

    /**
     * Returns the settings after a change.
     *
     * @throws IllegalArgumentException if they would become too many
     */
    public SettingsSnapshot with(SettingsChange change) {
        Map<String, Map<String, String>> newDefaults = defaults;
        Map<Subject, Map<String, Map<String, String>>> newOverrides = overrides;
        Map<Subject, Validity> newOverrideValidity = overrideValidity;
        Map<String, Set<String>> newExempt = exempt;
        if (change instanceof SettingsChange.PutDefaults put) {
            newDefaults = put.limits();
        } else if (change instanceof SettingsChange.PutOverride put) {
            newOverrides = new LinkedHashMap<>(overrides);
            newOverrides.put(put.subject(), put.limits());
            newOverrideValidity = with(overrideValidity, Set.of(put.subject()), put.validity());
        } else if (change instanceof SettingsChange.RemoveOverride remove) {
            newOverrides = new LinkedHashMap<>(overrides);
            newOverrides.remove(remove.subject());
        } else if (change instanceof SettingsChange.ExpireOverride expire) {
            newOverrides = new LinkedHashMap<>(overrides);
            if (isOver(overrideValidity, expire.subject(), expire.at())) {
                newOverrides.remove(expire.subject());
            }
        } else {
            newExempt = exemptAfter(change);
        }
        return new SettingsSnapshot(
                version + 1, newDefaults, newOverrides, newExempt, newOverrideValidity, exemptValidityAfter(change));
    }

    private Map<String, Set<String>> exemptAfter(SettingsChange change) {
        Subject subject = change.subject();
        if (change instanceof SettingsChange.ReplaceExempt replace) {
            Map<String, Set<String>> after = new LinkedHashMap<>(exempt);
            after.put(replace.attribute(), replace.values());
            after.values().removeIf(Set::isEmpty);
            return after;
        }
        if (change instanceof SettingsChange.AddExempt add) {
            Set<String> values =
                    new LinkedHashSet<>(exempt.getOrDefault(add.subject().attribute(), Set.of()));
            values.add(add.subject().value());
            Map<String, Set<String>> after = new LinkedHashMap<>(exempt);
            after.put(add.subject().attribute(), values);
            return after;
        }
        boolean isOver = change instanceof SettingsChange.ExpireExempt expire
                && isOver(exemptValidity, expire.subject(), expire.at());
        boolean ends = isOver || change instanceof SettingsChange.RemoveExempt;
        return ends && subject != null ? without(exempt, subject) : exempt;
    }

    private Map<Subject, Validity> exemptValidityAfter(SettingsChange change) {
        if (change instanceof SettingsChange.AddExempt add) {
            return with(exemptValidity, Set.of(add.subject()), add.validity());
        }
        if (change instanceof SettingsChange.ReplaceExempt replace) {
            return with(exemptValidity, subjects(Map.of(replace.attribute(), replace.values())), replace.validity());
        }
        return exemptValidity;
    }

    private static boolean isOver(Map<Subject, Validity> validity, Subject subject, Instant now) {
        return validity.getOrDefault(subject, Validity.UNLIMITED).isOver(now);
    }

    private static Map<Subject, Validity> with(
            Map<Subject, Validity> validity, Collection<Subject> subjects, Validity changed) {
        Map<Subject, Validity> after = new LinkedHashMap<>(validity);
        subjects.forEach(subject -> after.put(subject, changed));
        return after;
    }

    private static Map<String, Set<String>> without(Map<String, Set<String>> exempt, Subject subject) {
        Set<String> values = new LinkedHashSet<>(exempt.getOrDefault(subject.attribute(), Set.of()));
        values.remove(subject.value());
        Map<String, Set<String>> after = new LinkedHashMap<>(exempt);
        after.put(subject.attribute(), values);
        after.values().removeIf(Set::isEmpty);
        return after;
    }

    private static Set<Subject> subjects(Map<String, Set<String>> exempt) {
        Set<Subject> subjects = new LinkedHashSet<>();
        exempt.forEach((attribute, values) -> values.forEach(value -> subjects.add(new Subject(attribute, value))));
        return subjects;
    }

    /** Keeps only what says something about a setting that exists. */
    private static Map<Subject, Validity> copyOfValidity(Map<Subject, Validity> validity, Set<Subject> subjects) {
        if (validity.isEmpty()) {
            return Map.of();
        }
        Map<Subject, Validity> copy = new LinkedHashMap<>();
        validity.forEach((subject, one) -> {
            if (!one.equals(Validity.UNLIMITED) && subjects.contains(subject)) {
                copy.put(subject, one);
            }
        });
        return Collections.unmodifiableMap(copy);
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
