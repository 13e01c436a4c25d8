package dev.weir.cli.simulation;

import dev.weir.engine.config.Configuration;
import dev.weir.engine.config.LimitRule;
import dev.weir.engine.config.Rate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Rates that refuse at most 0.1 % of a log, by limit and row. They start from the use in whole periods, which only
 * estimates what an algorithm refuses, and are raised until a replay confirms them. Immutable.
 */
public final class Suggestion {
    private static final double RAISE = 1.25;

    private final Map<String, Map<String, List<Rate>>> rates;

    private Suggestion(Map<String, Map<String, List<Rate>>> rates) {
        this.rates = rates;
    }

    /** The first proposal, from a simulation that has ended. */
    public static Suggestion of(Simulation simulation) {
        Map<String, Map<String, List<Rate>>> rates = new LinkedHashMap<>();
        for (LimitUse limit : simulation.limits()) {
            Map<String, List<Rate>> rows = new LinkedHashMap<>();
            for (RateUse use : limit.rates()) {
                Rate enough = use.refusing(SimulationText.ACCEPTABLE);
                rows.computeIfAbsent(use.row(), row -> new ArrayList<>())
                        .add(enough == null ? use.rate() : new Rate(rounded(enough.count()), enough.period()));
            }
            if (!rows.isEmpty()) {
                rates.put(limit.rule().name(), rows);
            }
        }
        return new Suggestion(rates);
    }

    /** Rounds up to two digits that are not zero. */
    static long rounded(long count) {
        long unit = 1;
        while (count / unit >= 100) {
            unit *= 10;
        }
        return (count + unit - 1) / unit * unit;
    }

    /** The configuration with these rates. */
    public Configuration applyTo(Configuration old) {
        return new Configuration(
                old.enabled(),
                old.store(),
                old.onStoreFailure(),
                old.trustedProxies(),
                old.forwardAuth(),
                old.ipv6Prefix(),
                old.defaults(),
                old.classify(),
                old.limits().stream().map(this::changed).toList(),
                old.penalty(),
                old.exempt(),
                old.alerts(),
                old.holds(),
                old.paths());
    }

    private LimitRule changed(LimitRule old) {
        Map<String, List<Rate>> rows = new LinkedHashMap<>(old.rates());
        rows.putAll(rates.getOrDefault(old.name(), Map.of()));
        return new LimitRule(
                old.name(),
                old.match(),
                old.per(),
                old.by(),
                rows,
                old.algorithm(),
                old.burst(),
                old.cost(),
                old.charge(),
                old.warnPercent(),
                old.shadow(),
                old.onStoreFailure(),
                old.onMissing(),
                old.scope(),
                old.calendar());
    }

    /** Whether a replay with these rates refuses more than proposed. */
    public boolean isTooLow(Simulation replay) {
        return replay.limits().stream().anyMatch(this::isTooLow);
    }

    private boolean isTooLow(LimitUse use) {
        return rates.containsKey(use.rule().name()) && use.refused() > use.asked() * SimulationText.ACCEPTABLE;
    }

    /** The same with higher rates for the limits that a replay found too low. */
    public Suggestion raised(Simulation replay) {
        Map<String, Map<String, List<Rate>>> raised = new LinkedHashMap<>(rates);
        for (LimitUse use : replay.limits()) {
            if (isTooLow(use)) {
                Map<String, List<Rate>> rows = new LinkedHashMap<>();
                rates.getOrDefault(use.rule().name(), Map.of())
                        .forEach((row, list) -> rows.put(
                                row,
                                list.stream()
                                        .map(rate -> new Rate(
                                                rounded((long) Math.ceil(rate.count() * RAISE)), rate.period()))
                                        .toList()));
                raised.put(use.rule().name(), rows);
            }
        }
        return new Suggestion(raised);
    }

    /** The rates by limit and row. */
    public Map<String, Map<String, List<Rate>>> rates() {
        return rates;
    }
}
