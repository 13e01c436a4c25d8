package dev.weir.engine;

import dev.weir.Policy;
import dev.weir.engine.config.LimitRule;
import dev.weir.engine.config.Rate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of a limit for one kind of caller.
 *
 * @param name which row of the limit it is or stands for
 * @param policies one for each rate of the limit
 * @param windows in which time each comes back; zero for slots
 * @param suffixes what each adds to the key: an override keeps its own counts, and so does each further rate
 */
record Row(String name, List<Policy> policies, List<Duration> windows, List<List<String>> suffixes) {

    /** A row as the file has it. */
    static Row of(LimitRule rule, String name) {
        List<Rate> rates = Objects.requireNonNull(rule.rates().get(name));
        return new Row(name, rule.policies(name), windows(rates), suffixes(rates.size(), null));
    }

    /** A row with another rate than the file has, sharing its counts. */
    static Row changed(LimitRule rule, String name, Rate rate) {
        return new Row(name, rule.policies(List.of(rate), null), windows(List.of(rate)), suffixes(1, null));
    }

    /** A row of one subject, with counts of its own. */
    static Row override(LimitRule rule, String name, Rate rate) {
        return new Row(name, rule.policies(List.of(rate), null), windows(List.of(rate)), suffixes(1, rate.toString()));
    }

    /** A row of entries that were put together from several. */
    static Row of(String name, Collection<RowEntry> entries) {
        return new Row(
                name,
                entries.stream().map(RowEntry::policy).toList(),
                entries.stream().map(RowEntry::window).toList(),
                entries.stream().map(RowEntry::suffix).toList());
    }

    RowEntry entry(int rate) {
        return new RowEntry(policies.get(rate), windows.get(rate), suffixes.get(rate));
    }

    private static List<Duration> windows(List<Rate> rates) {
        return rates.stream()
                .map(rate -> Objects.requireNonNullElse(rate.period(), Duration.ZERO))
                .toList();
    }

    private static List<List<String>> suffixes(int rates, @Nullable String override) {
        List<List<String>> suffixes = new ArrayList<>();
        for (int i = 0; i < rates; i++) {
            List<String> suffix = new ArrayList<>();
            if (override != null) {
                suffix.addAll(List.of("override", override));
            }
            if (i > 0) {
                suffix.addAll(List.of("rate", Integer.toString(i)));
            }
            suffixes.add(List.copyOf(suffix));
        }
        return List.copyOf(suffixes);
    }
}
