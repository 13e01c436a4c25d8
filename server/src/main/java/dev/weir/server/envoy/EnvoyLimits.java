package dev.weir.server.envoy;

import dev.weir.engine.config.Algorithm;
import dev.weir.engine.config.Condition;
import dev.weir.engine.config.Configuration;
import dev.weir.engine.config.CostRule;
import dev.weir.engine.config.FailurePolicy;
import dev.weir.engine.config.ForwardAuthRule;
import dev.weir.engine.config.HoldRule;
import dev.weir.engine.config.LimitRule;
import dev.weir.engine.config.MissingPolicy;
import dev.weir.engine.config.PathRules;
import dev.weir.engine.config.Rate;
import dev.weir.server.envoy.RateLimitQuery.Unit;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Envoy's limits as limits of the engine, which count them.
 *
 * <p>A window of a second, a minute, an hour or a day is a calendar window of the store, in UTC: it begins at a multiple
 * of its length since 1970, as Envoy's does. A week of the calendar begins on a Monday and a month has no fixed length,
 * so for these the number of the window is part of the key, as it is in the original.
 */
final class EnvoyLimits {
    /** The limits for descriptors that bring their own; their rates come with the request. */
    static final String OVERRIDE = "envoy.override";

    /** As {@link #OVERRIDE}, for windows of a week and longer. */
    static final String LONG_OVERRIDE = "envoy.override.long";

    /** The names that no descriptor's limit may have. */
    static final Set<String> RESERVED = Set.of(OVERRIDE, LONG_OVERRIDE);

    /** The share of a limit from which on the statistics count hits as near it. */
    private static final int NEAR_PERCENT = 80;

    private static final int IPV6_PREFIX = 64;

    private EnvoyLimits() {}

    /** Whether the number of the window is part of the key. */
    static boolean isNumbered(Unit unit) {
        return unit.seconds() > Unit.DAY.seconds();
    }

    static Rate rate(long requestsPerUnit, Unit unit) {
        return Rate.per(Duration.ofSeconds(unit.seconds()), requestsPerUnit);
    }

    /** The configuration of an engine that counts these limits on a store. */
    static Configuration configuration(EnvoyConfiguration envoy, String store) {
        List<LimitRule> rules = new ArrayList<>();
        for (EnvoyLimit limit : envoy.limits()) {
            Unit unit = limit.unit();
            if (unit != null) {
                Map<String, Condition> match = new LinkedHashMap<>();
                match.put(EnvoyAttributes.DOMAIN, Condition.anyOf(limit.domain()));
                match.put(EnvoyAttributes.DESCRIPTOR, Condition.anyOf(limit.keys()));
                boolean onlyReports = limit.shadow() || limit.quota();
                rules.add(rule(limit.limit(), match, limit.requestsPerUnit(), unit, onlyReports));
            }
        }
        rules.add(rule(OVERRIDE, overrides(), 1, Unit.SECOND, false));
        rules.add(rule(LONG_OVERRIDE, overrides(), 1, Unit.WEEK, false));
        return new Configuration(
                true,
                store,
                FailurePolicy.DENY,
                List.of(),
                ForwardAuthRule.NONE,
                IPV6_PREFIX,
                Map.of(),
                List.of(),
                rules,
                null,
                Map.of(),
                List.of(),
                HoldRule.defaults(),
                PathRules.DEFAULT);
    }

    private static Map<String, Condition> overrides() {
        return Map.of(EnvoyAttributes.DESCRIPTOR, Condition.anyOf(OVERRIDE));
    }

    private static LimitRule rule(
            String name, Map<String, Condition> match, long requestsPerUnit, Unit unit, boolean onlyReports) {
        List<List<String>> per = new ArrayList<>();
        if (RESERVED.contains(name)) {
            per.add(List.of(EnvoyAttributes.DOMAIN));
        }
        per.add(List.of(EnvoyAttributes.ENTRIES));
        if (isNumbered(unit)) {
            per.add(List.of(EnvoyAttributes.WINDOW));
        }
        return new LimitRule(
                name,
                match,
                per,
                null,
                Map.of(LimitRule.DEFAULT_ROW, List.of(rate(requestsPerUnit, unit))),
                Algorithm.FIXED_WINDOW,
                Map.of(),
                new CostRule.Requested(),
                null,
                NEAR_PERCENT,
                onlyReports,
                FailurePolicy.DENY,
                MissingPolicy.SKIP,
                null,
                isNumbered(unit) ? null : ZoneOffset.UTC);
    }
}
