package dev.weir.cli.simulation;

import dev.weir.engine.LimitResult;
import dev.weir.engine.config.LimitRule;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The results of the requests that one limit applied to. Not thread-safe. */
public final class LimitUse {
    static final long NEVER = Long.MIN_VALUE;

    private final LimitRule rule;
    private final Map<String, KeyUse> keys = new HashMap<>();
    private final Map<String, List<RateUse>> rates = new LinkedHashMap<>();
    private final HourCounts hours = new HourCounts();
    private long asked;
    private long refused;
    private long firstRefusal = NEVER;
    private long withoutKey;

    LimitUse(LimitRule rule) {
        this.rule = rule;
    }

    /** What one identity did under this limit. */
    static final class KeyUse {
        private final String row;
        private final RateUse.Key[] rates;
        long refused;
        long decisive;

        KeyUse(String row, RateUse.Key[] rates) {
            this.row = row;
            this.rates = rates;
        }
    }

    /**
     * Counts a result.
     *
     * @param key identifies the budget
     * @param mayGrow whether an identity that was not seen before is counted separately
     * @return the use of the identity; null if it is not counted separately
     */
    @Nullable
    KeyUse add(LimitResult result, String key, long now, boolean mayGrow) {
        asked++;
        hours.ask(now);
        if (!result.allowed()) {
            refused++;
            firstRefusal = firstRefusal == NEVER ? now : firstRefusal;
            hours.refuse(now);
        }
        KeyUse use = keys.get(key);
        if (use == null && !mayGrow) {
            withoutKey++;
            return null;
        }
        if (use == null || !use.row.equals(result.row())) {
            KeyUse created = create(result.row(), now);
            if (use != null) {
                created.refused = use.refused;
                created.decisive = use.decisive;
            }
            use = created;
            keys.put(key, use);
        }
        for (RateUse.Key rate : use.rates) {
            rate.add(now, result.cost());
        }
        use.refused += result.allowed() ? 0 : 1;
        return use;
    }

    private KeyUse create(String row, long now) {
        List<RateUse> used = rates.computeIfAbsent(row, this::newRates);
        RateUse.Key[] own = new RateUse.Key[used.size()];
        for (int i = 0; i < own.length; i++) {
            own[i] = new RateUse.Key(used.get(i), now);
        }
        return new KeyUse(row, own);
    }

    private List<RateUse> newRates(String row) {
        List<RateUse> made = new ArrayList<>();
        String known = rule.row(row);
        for (int i = 0; i < rule.policies(known).size(); i++) {
            made.add(new RateUse(rule, known, i));
        }
        return made;
    }

    /** Completes the distributions, once all requests were added. */
    void end() {
        rates.values()
                .forEach(row -> row.forEach(rate -> {
                    rate.end(keys.values().stream()
                            .flatMap(key -> Stream.of(key.rates))
                            .filter(used -> used.rate() == rate)
                            .mapToDouble(RateUse.Key::end)
                            .toArray());
                }));
    }

    public LimitRule rule() {
        return rule;
    }

    /** The number of requests that it applied to. */
    public long asked() {
        return asked;
    }

    public long refused() {
        return refused;
    }

    /** The time of the first refusal in microseconds since 1970; null if there was none. */
    public @Nullable Long firstRefusalMicros() {
        return firstRefusal == NEVER ? null : firstRefusal;
    }

    /** The number of identities, that is of budgets in use. */
    public long identities() {
        return keys.size();
    }

    /** The number of identities that it refused at least once. */
    public long identitiesRefused() {
        return keys.values().stream().filter(key -> key.refused > 0).count();
    }

    /** The number of requests whose identity was not counted, because there were too many. */
    public long withoutKey() {
        return withoutKey;
    }

    /** The use of each rate, by row. */
    public List<RateUse> rates() {
        return rates.values().stream().flatMap(List::stream).toList();
    }

    /** Requests and refusals by hour. */
    public HourCounts hours() {
        return hours;
    }

    Map<String, KeyUse> keys() {
        return keys;
    }
}
