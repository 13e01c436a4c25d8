package dev.weir.engine.plan;

import dev.weir.engine.config.LimitRule;
import dev.weir.engine.config.Rate;
import dev.weir.spi.settings.SettingsSnapshot;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the rates of a limit for a request: those set for its subject, else those of its row as changed by
 * administrators, else those of the file. Immutable.
 *
 * <p>If several subjects of a request have overrides, the subject whose attribute comes first in {@code per} counts;
 * among others, the first in alphabetical order.
 */
final class RowTable {
    private final int by;
    private final Map<String, Row> rows = new HashMap<>();
    private final Row otherwise;
    private final List<Subjects> overrides = new ArrayList<>();

    RowTable(LimitRule rule, KeyBuilder keys, AttributeIndex index, SettingsSnapshot settings, AttributeValues known) {
        this.by = rule.by() == null ? -1 : index.of(rule.by());
        Map<String, String> changed = settings.defaults().getOrDefault(rule.name(), Map.of());
        for (String name : rule.rates().keySet()) {
            Rate rate = changed.containsKey(name) ? Overrides.usable(rule, name, changed.get(name)) : null;
            rows.put(rowKey(rule, name, known), rate == null ? Row.of(rule, name) : Row.changed(rule, name, rate));
        }
        this.otherwise = Objects.requireNonNull(rows.get(LimitRule.DEFAULT_ROW), "every limit has a default row");
        addOverrides(rule, settings, keys, index, known);
    }

    private RowTable(Row only) {
        this.by = -1;
        this.otherwise = only;
    }

    /** A table of one row, whatever the request is. */
    static RowTable of(Row only) {
        return new RowTable(only);
    }

    private static String rowKey(LimitRule rule, String name, AttributeValues known) {
        return rule.by() == null || name.equals(LimitRule.DEFAULT_ROW) ? name : known.of(rule.by(), name);
    }

    /** The overrides of the subjects that one attribute identifies. */
    private record Subjects(int attribute, Map<String, Map<String, Row>> rows) {
        @Nullable
        Row row(@Nullable String[] values, String name) {
            String value = values[attribute];
            Map<String, Row> own = value == null ? null : rows.get(value);
            return own == null ? null : own.get(name);
        }
    }

    /** Whether there are overrides for subjects that one of these attributes identifies. */
    boolean looksAt(Set<Integer> attributes) {
        return overrides.stream().anyMatch(subjects -> attributes.contains(subjects.attribute));
    }

    Row row(@Nullable String[] values) {
        String value = by < 0 ? null : values[by];
        Row own = value == null ? null : rows.get(value);
        Row row = own == null ? otherwise : own;
        for (int i = 0; i < overrides.size(); i++) {
            Row override = overrides.get(i).row(values, row.name());
            if (override != null) {
                return override;
            }
        }
        return row;
    }

    /** The key suffixes of every row that can apply to a request with these values. */
    Set<List<String>> suffixes(@Nullable String[] values) {
        Set<List<String>> suffixes = new LinkedHashSet<>(row(values).suffixes());
        if (by >= 0 && values[by] == null) {
            for (String name : rows.keySet()) {
                @Nullable String[] withRow = values.clone();
                withRow[by] = name;
                suffixes.addAll(row(withRow).suffixes());
            }
        }
        return suffixes;
    }

    private void addOverrides(
            LimitRule rule, SettingsSnapshot settings, KeyBuilder keys, AttributeIndex index, AttributeValues known) {
        Map<String, Map<String, Map<String, Row>>> byAttribute = new HashMap<>();
        settings.overrides().forEach((subject, limits) -> {
            Map<String, Row> own = new HashMap<>();
            limits.getOrDefault(rule.name(), Map.of()).forEach((name, text) -> {
                Rate rate = Overrides.usable(rule, name, text);
                if (rate != null) {
                    own.put(name, Row.override(rule, name, rate));
                }
            });
            if (!own.isEmpty()) {
                byAttribute
                        .computeIfAbsent(subject.attribute(), absent -> new HashMap<>())
                        .put(known.of(subject.attribute(), subject.value()), own);
            }
        });
        TreeSet<String> attributes =
                new TreeSet<>(Comparator.comparingInt((String attribute) -> keys.placeOf(attribute))
                        .thenComparing(a -> a));
        attributes.addAll(byAttribute.keySet());
        for (String attribute : attributes) {
            overrides.add(new Subjects(index.of(attribute), byAttribute.getOrDefault(attribute, Map.of())));
        }
    }
}
