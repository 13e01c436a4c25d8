package dev.weir.engine.config.schema;

import dev.weir.engine.config.Algorithm;
import dev.weir.engine.config.Condition;
import dev.weir.engine.config.CostRule;
import dev.weir.engine.config.FailurePolicy;
import dev.weir.engine.config.LimitRule;
import dev.weir.engine.config.MissingPolicy;
import dev.weir.engine.config.Rate;
import dev.weir.engine.config.schema.ConfigurationKeys.Limit;
import dev.weir.engine.config.schema.MappingSchema.Fields;
import java.time.ZoneId;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Builds a limit from its keys, and checks their combination. */
final class LimitBuilder {
    private static final String DEFAULT = LimitRule.DEFAULT_ROW;
    /** The zone id as configurations write it: another id would be another policy. */
    private static final ZoneId UTC = ZoneId.of("UTC");

    private final FailurePolicy onStoreFailure;
    /** The possible values of each attribute that a rule always sets. */
    private final Map<String, Set<String>> outcomes;

    private final Faults faults;

    LimitBuilder(FailurePolicy onStoreFailure, Map<String, Set<String>> outcomes, Faults faults) {
        this.onStoreFailure = onStoreFailure;
        this.outcomes = outcomes;
        this.faults = faults;
    }

    /** Builds the limit; null if a required part is missing, which is then among the faults. */
    @Nullable
    LimitRule build(Fields fields) {
        checkMatch(fields);
        checkPer(fields);
        checkRows(fields);
        checkBurst(fields);
        checkCalendar(fields);
        checkCharge(fields);
        CostRule cost = cost(fields);
        String name = fields.get(Limit.NAME);
        NamedRows<List<Located<Rate>>> rates = fields.get(Limit.RATE);
        if (name == null || rates == null) {
            return null;
        }
        NamedRows<Long> burst = fields.get(Limit.BURST);
        LimitRule limit = new LimitRule(
                name,
                plain(fields.get(Limit.MATCH)),
                fields.get(Limit.PER, List.of()).stream().map(Located::value).toList(),
                fields.get(Limit.BY),
                rates.plain(row -> row.stream().map(Located::value).toList()),
                algorithm(fields),
                burst == null ? Map.of() : burst.plain(number -> number),
                cost,
                fields.get(Limit.CHARGE),
                fields.get(Limit.WARN),
                fields.get(Limit.SHADOW, false),
                fields.get(Limit.ON_STORE_FAILURE, onStoreFailure),
                fields.get(Limit.ON_MISSING, MissingPolicy.SKIP),
                fields.get(Limit.SCOPE),
                calendar(fields));
        if (ratesSuitTheAlgorithm(limit.algorithm(), rates)) {
            checkPolicies(limit, rates);
        }
        return limit;
    }

    /** The algorithm; if none is set, a fixed window if all rates are per month, else a token bucket. */
    private static Algorithm algorithm(Fields fields) {
        return fields.get(Limit.ALGORITHM, isMonthly(fields) ? Algorithm.FIXED_WINDOW : Algorithm.TOKEN_BUCKET);
    }

    private static @Nullable ZoneId calendar(Fields fields) {
        ZoneId given = fields.get(Limit.CALENDAR);
        boolean isImplied = given == null && isMonthly(fields) && algorithm(fields) == Algorithm.FIXED_WINDOW;
        return isImplied ? UTC : given;
    }

    private static boolean isMonthly(Fields fields) {
        NamedRows<List<Located<Rate>>> rates = fields.get(Limit.RATE);
        if (rates == null) {
            return false;
        }
        // A rate of 0 refuses in any period.
        List<Rate> positive = rates.rows().values().stream()
                .flatMap(row -> row.value().stream().map(Located::value))
                .filter(rate -> rate.count() > 0)
                .toList();
        return !positive.isEmpty() && positive.stream().allMatch(Rate::isMonthly);
    }

    private static Map<String, Condition> plain(@Nullable Map<String, Located<Condition>> match) {
        Map<String, Condition> plain = new LinkedHashMap<>();
        if (match != null) {
            match.forEach((attribute, condition) -> plain.put(attribute, condition.value()));
        }
        return plain;
    }

    /** Checks that a condition on a derived attribute can hold. */
    private void checkMatch(Fields fields) {
        Map<String, Located<Condition>> match = fields.get(Limit.MATCH);
        if (match != null) {
            match.forEach((attribute, condition) -> condition.value().patterns().stream()
                    .filter(pattern -> pattern.indexOf('*') < 0 && pattern.indexOf('?') < 0)
                    .forEach(pattern -> checkOutcome(condition.location(), attribute, pattern)));
        }
    }

    private void checkOutcome(SourceLocation location, String attribute, String value) {
        Set<String> possible = outcomes.get(attribute);
        if (possible != null && !possible.contains(value)) {
            String hint = Faults.didYouMean(value, possible);
            faults.add(
                    location,
                    "no rule of 'classify' sets " + attribute + " to " + Faults.quote(value)
                            + (hint.isEmpty()
                                    ? "; it is one of " + Faults.oneLine(String.join(", ", possible), 200)
                                    : hint));
        }
    }

    private void checkPer(Fields fields) {
        Set<String> seen = new HashSet<>();
        for (Located<List<String>> part : fields.get(Limit.PER, List.of())) {
            for (String attribute : part.value()) {
                if (!seen.add(attribute)) {
                    faults.add(part.location(), "per names " + Faults.quote(attribute) + " twice; once is enough");
                }
            }
        }
    }

    /**
     * Checks the rows: rows need an attribute that chooses, that attribute needs rows, and there must be a default row.
     */
    private void checkRows(Fields fields) {
        String by = fields.get(Limit.BY);
        NamedRows<List<Located<Rate>>> rates = fields.get(Limit.RATE);
        if (rates == null) {
            return;
        }
        if (rates.named()) {
            checkRateRows(fields, by, rates.rows());
        } else if (by != null && !hasOtherRows(fields)) {
            faults.add(
                    fields.keyPlace(Limit.BY), "by is " + Faults.quote(by) + ", but rate has no rows to choose from");
        }
    }

    private static boolean hasOtherRows(Fields fields) {
        NamedRows<Long> burst = fields.get(Limit.BURST);
        return (burst != null && burst.named())
                || (fields.get(Limit.COST) instanceof CostRuleReader.Draft.CostRows table && table.by() == null);
    }

    private void checkRateRows(Fields fields, @Nullable String by, Map<String, Located<List<Located<Rate>>>> rows) {
        SourceLocation location = fields.location(Limit.RATE);
        if (!fields.has(Limit.BY)) {
            faults.add(location, "rate has rows, but no 'by' names the attribute that chooses one");
        }
        if (!rows.containsKey(DEFAULT)) {
            faults.add(
                    location,
                    "rate has no row 'default'; it needs one for requests whose "
                            + (by == null ? "attribute" : Faults.quote(by)) + " is absent or has no row");
        }
        if (by != null) {
            rows.forEach((row, rate) -> {
                if (!row.equals(DEFAULT)) {
                    checkOutcome(rate.location(), by, row);
                }
            });
        }
    }

    private void checkBurst(Fields fields) {
        NamedRows<Long> burst = fields.get(Limit.BURST);
        NamedRows<List<Located<Rate>>> rates = fields.get(Limit.RATE);
        if (burst == null || rates == null) {
            return;
        }
        Algorithm algorithm = algorithm(fields);
        if (algorithm != Algorithm.TOKEN_BUCKET) {
            faults.add(
                    fields.keyPlace(Limit.BURST),
                    "burst is for the algorithm token-bucket; " + algorithm + " has none");
        } else if (rates.rows().values().stream().anyMatch(row -> row.value().size() > 1)) {
            faults.add(
                    fields.keyPlace(Limit.BURST),
                    "burst is given beside several rates; leave it out, or make two limits of them");
        }
        burst.rows().forEach((row, number) -> {
            if (!row.equals(DEFAULT) && !rates.rows().containsKey(row)) {
                faults.add(
                        number.location(),
                        "burst has a row " + Faults.quote(row) + " that rate does not have"
                                + Faults.didYouMean(row, rates.rows().keySet()));
            }
        });
    }

    private void checkCalendar(Fields fields) {
        ZoneId calendar = fields.get(Limit.CALENDAR);
        Algorithm algorithm = algorithm(fields);
        if (calendar != null && algorithm != Algorithm.FIXED_WINDOW) {
            faults.add(
                    fields.keyPlace(Limit.CALENDAR),
                    "calendar is for the algorithm fixed-window; this limit's is " + algorithm);
        }
    }

    private void checkCharge(Fields fields) {
        if (fields.get(Limit.CHARGE) != null && fields.get(Limit.ALGORITHM) == Algorithm.CONCURRENCY) {
            faults.add(
                    fields.keyPlace(Limit.CHARGE),
                    "charge is for rates; concurrency holds slots, and gives them back whatever the status");
        }
    }

    private CostRule cost(Fields fields) {
        CostRuleReader.Draft draft = fields.get(Limit.COST);
        if (draft instanceof CostRuleReader.Draft.CompleteCost done) {
            return done.cost();
        }
        if (draft instanceof CostRuleReader.Draft.CostRows table) {
            String by = table.by() != null ? table.by() : fields.get(Limit.BY);
            if (by == null) {
                faults.add(
                        table.location(),
                        "cost has rows, but no 'by' names the attribute that chooses one; give the limit a 'by', or write"
                                + " cost: { ATTRIBUTE: { VALUE: 5, default: 1 } }");
                return new CostRule.Requested();
            }
            if (!table.rows().containsKey(DEFAULT)) {
                faults.add(table.location(), "cost has no row 'default'; it needs one for everything else");
            }
            table.rows().forEach((row, number) -> {
                if (!row.equals(DEFAULT)) {
                    checkOutcome(number.location(), by, row);
                }
            });
            return table.complete(by);
        }
        return new CostRule.Requested();
    }

    private boolean ratesSuitTheAlgorithm(Algorithm algorithm, NamedRows<List<Located<Rate>>> rates) {
        boolean slots = algorithm == Algorithm.CONCURRENCY;
        boolean suit = true;
        for (Located<List<Located<Rate>>> row : rates.rows().values()) {
            for (Located<Rate> rate : row.value()) {
                if (slots != (rate.value().period() == null)) {
                    suit = false;
                    faults.add(
                            rate.location(),
                            "rate is '" + rate.value() + "'; "
                                    + (slots
                                            ? "for concurrency it must be a plain number, without a period"
                                            : "it needs a period: did you mean " + rate.value() + "/min?"));
                }
            }
            if (slots && row.value().size() > 1) {
                suit = false;
                faults.add(row.location(), "rate has several numbers; for concurrency it must be one");
            }
        }
        return suit;
    }

    /**
     * Reports numbers that the algorithms cannot represent exactly. Core rejects them; here they get their location.
     */
    private void checkPolicies(LimitRule limit, NamedRows<List<Located<Rate>>> rates) {
        rates.rows().forEach((name, row) -> {
            try {
                limit.policies(name);
            } catch (IllegalArgumentException e) {
                SourceLocation location = row.value().isEmpty()
                        ? row.location()
                        : row.value().get(0).location();
                faults.add(location, "rate is not possible: " + e.getMessage());
            }
        });
    }
}
