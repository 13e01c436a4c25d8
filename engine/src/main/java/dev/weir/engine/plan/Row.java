package dev.weir.engine.plan;

import dev.weir.Policy;
import dev.weir.TokenBucket;
import dev.weir.algorithm.TokenBucketMath;
import dev.weir.engine.RateResult;
import dev.weir.engine.config.LimitRule;
import dev.weir.engine.config.Rate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The rates of a limit for one kind of caller.
 *
 * @param name the name of the row, or of the row that it replaces
 * @param policies one for each rate of the limit
 * @param windows the time in which the capacity of each refills; zero for slots
 * @param suffixes the parts that each adds to the key: an override has its own counts, and so has each further rate
 */
public record Row(String name, List<Policy> policies, List<Duration> windows, List<List<String>> suffixes) {

    /** A row as in the file. */
    static Row of(LimitRule rule, String name) {
        List<Rate> rates = Objects.requireNonNull(rule.rates().get(name));
        return of(name, rates, rule.policies(name), null);
    }

    /** A row with another rate than in the file; it shares the file's counts. */
    static Row changed(LimitRule rule, String name, Rate rate) {
        return of(name, List.of(rate), rule.policies(List.of(rate), null), null);
    }

    /** A row of one subject, with counts of its own. */
    static Row override(LimitRule rule, String name, Rate rate) {
        return of(name, List.of(rate), rule.policies(List.of(rate), null), rate.toString());
    }

    private static Row of(String name, List<Rate> rates, List<Policy> policies, @Nullable String override) {
        List<Duration> windows = new ArrayList<>();
        for (int i = 0; i < rates.size(); i++) {
            windows.add(window(rates.get(i), policies.get(i)));
        }
        return new Row(name, policies, List.copyOf(windows), suffixes(rates.size(), override));
    }

    /** The window of a rate. The rate's period would be wrong for a bucket whose capacity is not the rate's count. */
    private static Duration window(Rate rate, Policy policy) {
        return policy instanceof TokenBucket bucket
                ? TokenBucketMath.refillTime(bucket)
                : Objects.requireNonNullElse(rate.period(), Duration.ZERO);
    }

    /** The name of a rate in results: the first has its limit's name, the others have their position appended. */
    public static String rateName(String limit, int rate) {
        return rate == 0 ? limit : limit + ":" + (rate + 1);
    }

    /** The results of all rates of a refusal of which nothing else is known. */
    public List<RateResult> refusals(String limit, Duration resetAfter) {
        List<RateResult> refusals = new ArrayList<>(policies.size());
        for (int rate = 0; rate < policies.size(); rate++) {
            refusals.add(new RateResult(
                    rateName(limit, rate), policies.get(rate).capacity(), 0, resetAfter, windows.get(rate)));
        }
        return List.copyOf(refusals);
    }

    /** A row of entries that come from several rows. */
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
