package dev.weir.engine;

import dev.weir.engine.config.LimitRule;
import dev.weir.engine.config.Rate;
import dev.weir.engine.config.Rates;
import dev.weir.engine.settings.SettingsSnapshot;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What administrators changed, made ready: other defaults, and other numbers for single subjects.
 *
 * <p>Changed defaults keep what was spent. An override has counts of its own: it starts fresh.
 */
final class Overrides {
    private final SettingsSnapshot settings;
    /** By the attribute's number, then its value, then the limit, then the row. */
    private final Map<Integer, Map<String, Map<String, Map<String, String>>>> subjects = new HashMap<>();
    /** What was made of a rate's text for a limit. */
    private final Map<String, Row> made = new ConcurrentHashMap<>();

    Overrides(SettingsSnapshot settings, AttributeIndex index) {
        this.settings = settings;
        settings.overrides()
                .forEach((subject, limits) -> subjects.computeIfAbsent(
                                index.of(subject.attribute()), absent -> new HashMap<>())
                        .put(subject.value(), limits));
    }

    /** The changed default of a limit's row, or null. */
    @Nullable
    Row defaultRow(LimitRule rule, String row) {
        String text = settings.defaults().getOrDefault(rule.name(), Map.of()).get(row);
        return text == null ? null : made(rule, text, null);
    }

    /** The numbers for this subject, or null if it has none of its own. */
    @Nullable
    Row row(LimitRule rule, String row, @Nullable String[] values) {
        for (Map.Entry<Integer, Map<String, Map<String, Map<String, String>>>> attribute : subjects.entrySet()) {
            String value = values[attribute.getKey()];
            Map<String, Map<String, String>> limits =
                    value == null ? null : attribute.getValue().get(value);
            String text = limits == null
                    ? null
                    : limits.getOrDefault(rule.name(), Map.of()).get(row);
            if (text != null) {
                return made.computeIfAbsent(rule.name() + "\n" + text, absent -> made(rule, text, text));
            }
        }
        return null;
    }

    private static Row made(LimitRule rule, String text, @Nullable String override) {
        List<Rate> rates = List.of(Rates.parse(text));
        return new Row(rule.policies(rates, null), PreparedLimit.windows(rates), override);
    }
}
