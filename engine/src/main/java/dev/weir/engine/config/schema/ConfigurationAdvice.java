package dev.weir.engine.config.schema;

import dev.weir.DurationText;
import dev.weir.engine.config.Algorithm;
import dev.weir.engine.config.Condition;
import dev.weir.engine.config.Configuration;
import dev.weir.engine.config.CostRule;
import dev.weir.engine.config.LimitRule;
import dev.weir.engine.config.Rate;
import dev.weir.engine.config.WellKnownAttributes;
import dev.weir.engine.config.schema.ConfigurationKeys.Alert;
import dev.weir.engine.config.schema.ConfigurationKeys.Classify;
import dev.weir.engine.config.schema.ConfigurationKeys.File;
import dev.weir.engine.config.schema.ConfigurationKeys.Limit;
import dev.weir.engine.config.schema.ConfigurationKeys.Penalty;
import dev.weir.engine.config.schema.MappingSchema.Fields;
import dev.weir.spi.Nearest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Warns of what a valid configuration probably does not mean, beyond single limits that never apply. */
final class ConfigurationAdvice {
    private static final int SHORTEST = 3;
    /** Pairs of limits that are compared: all pairs of a thousand limits. Bounds the time of a huge file. */
    private static final int MOST_COMPARISONS = 1_000_000;
    /** Names that a spelling is compared with. Bounds the time of a huge file. */
    private static final int MOST_NAMES = 1_000;

    private final Fields file;
    private final Configuration configuration;
    private final Faults faults;
    /** Attributes that a limit, a default or a rule names. */
    private final Set<String> named = new HashSet<>(WellKnownAttributes.NAMES);

    ConfigurationAdvice(Fields file, Configuration configuration, Faults faults) {
        this.file = file;
        this.configuration = configuration;
        this.faults = faults;
        named.addAll(configuration.defaults().keySet());
        configuration.classify().forEach(rule -> {
            named.add(rule.set());
            named.add(rule.from());
        });
        configuration.limits().forEach(this::addNames);
    }

    private void addNames(LimitRule limit) {
        named.addAll(limit.match().keySet());
        limit.per().forEach(named::addAll);
        if (limit.by() != null) {
            named.add(limit.by());
        }
        if (limit.cost() instanceof CostRule.Attribute attribute) {
            named.add(attribute.name());
        }
    }

    void check() {
        if (configuration.limits().isEmpty() && file.get(File.LIMITS) != null) {
            faults.warn(file.location(File.LIMITS), "limits is an empty list; nothing is limited");
        }
        checkNames();
        checkBackoff();
        checkPatterns();
        checkUnreachable();
    }

    /** Attributes outside the limits that nothing else names, and that resemble one that is named. */
    private void checkNames() {
        Fields penalty = file.get(File.PENALTY);
        if (penalty != null) {
            penalty.get(Penalty.PER, List.of()).forEach(name -> checkName(name.location(), "per", name.value()));
        }
        file.get(File.EXEMPT, Map.of()).forEach((name, values) -> {
            // Callers may exempt by an attribute that only they know, such as a role.
            if (named.stream().limit(MOST_NAMES).anyMatch(known -> Nearest.editDistance(name, known) == 1)) {
                checkName(values.location(), "exempt", name);
            }
        });
        for (Located<Fields> alert : file.get(File.ALERTS, List.of())) {
            alert.value()
                    .get(Alert.PER, List.of())
                    .forEach(part -> List.of(part.value().split("\\|", -1))
                            .forEach(name -> checkName(part.location(), "per", name)));
        }
        for (Located<Fields> limit : file.get(File.LIMITS, List.of())) {
            String by = limit.value().get(Limit.BY);
            if (by != null) {
                checkSpelling(limit.value().location(Limit.BY), "by", by);
            }
        }
        for (Located<Fields> rule : file.get(File.CLASSIFY, List.of())) {
            String from = rule.value().get(Classify.FROM);
            if (from != null) {
                checkSpelling(rule.value().location(Classify.FROM), "from", from);
            }
        }
    }

    private void checkName(SourceLocation location, String key, String name) {
        if (!named.contains(name) && faults.acceptsWarnings()) {
            faults.warn(
                    location,
                    key + " names " + Faults.quote(name) + ", which no limit, default or rule names"
                            + Faults.didYouMean(name, named));
        }
    }

    private void checkSpelling(SourceLocation location, String key, String name) {
        boolean isSet = configuration.defaults().containsKey(name)
                || configuration.classify().stream().anyMatch(rule -> rule.set().equals(name));
        if (name.length() < SHORTEST || isSet || WellKnownAttributes.NAMES.contains(name)) {
            return;
        }
        WellKnownAttributes.NAMES.stream()
                .filter(known -> known.length() >= SHORTEST && Nearest.editDistance(name, known) == 1)
                .findFirst()
                .ifPresent(known -> faults.warn(
                        location,
                        key + " names " + Faults.quote(name) + ", which neither 'defaults' nor 'classify' sets; did you"
                                + " mean " + Faults.quote(known) + "?"));
    }

    private void checkBackoff() {
        Fields penalty = file.get(File.PENALTY);
        List<Located<Duration>> backoff = penalty == null ? null : penalty.get(Penalty.BACKOFF);
        if (backoff == null) {
            return;
        }
        for (int i = 1; i < backoff.size(); i++) {
            Duration before = backoff.get(i - 1).value();
            Duration after = backoff.get(i).value();
            if (after.compareTo(before) < 0) {
                faults.warn(
                        backoff.get(i).location(),
                        "backoff falls from " + DurationText.of(before) + " to " + DurationText.of(after)
                                + "; a later violation should wait at least as long");
            }
        }
    }

    /** Methods in small letters, which no request has. */
    private void checkPatterns() {
        for (Located<Fields> limit : file.get(File.LIMITS, List.of())) {
            limit.value()
                    .get(Limit.MATCH, Map.of())
                    .forEach((attribute, condition) -> condition
                            .value()
                            .patterns()
                            .forEach(pattern -> checkPattern(condition.location(), "match", attribute, pattern)));
        }
        for (Located<Fields> rule : file.get(File.CLASSIFY, List.of())) {
            String from = rule.value().get(Classify.FROM);
            if (from != null) {
                rule.value()
                        .get(Classify.VALUES, Map.of())
                        .values()
                        .forEach(patterns -> patterns.value()
                                .forEach(pattern -> checkPattern(pattern.location(), "values", from, pattern.value())));
            }
        }
    }

    private void checkPattern(SourceLocation location, String key, String attribute, String pattern) {
        if (attribute.equals("method") && !pattern.equals(pattern.toUpperCase(Locale.ROOT))) {
            faults.warn(
                    location,
                    key + " compares method with " + Faults.quote(pattern)
                            + ", but methods are in capitals; did you mean "
                            + Faults.quote(pattern.toUpperCase(Locale.ROOT)) + "?");
        }
    }

    /**
     * Limits that never refuse, because another refuses earlier whatever the requests are. Only limits that agree in
     * all that {@link #comparedPart} returns are compared, and a file with very many of them is not compared to its end.
     */
    private void checkUnreachable() {
        Map<List<Object>, List<LimitRule>> groups = new LinkedHashMap<>();
        for (LimitRule limit : configuration.limits()) {
            if (soleRate(limit) != null && !limit.shadow() && limit.charge() == null && limit.calendar() == null) {
                groups.computeIfAbsent(comparedPart(limit), part -> new ArrayList<>())
                        .add(limit);
            }
        }
        Map<String, SourceLocation> locations = locations();
        int comparisons = 0;
        for (List<LimitRule> group : groups.values()) {
            for (int i = 0; i < group.size(); i++) {
                LimitRule limit = group.get(i);
                for (int k = 0; k < group.size(); k++) {
                    LimitRule other = group.get(k);
                    if (++comparisons > MOST_COMPARISONS || !faults.acceptsWarnings()) {
                        return;
                    }
                    // Of two equal limits the later one is reported.
                    if (k != i && hides(other, limit) && !(k > i && hides(limit, other))) {
                        faults.warn(
                                locations.getOrDefault(limit.name(), file.location(File.LIMITS)),
                                "limit " + Faults.quote(limit.name()) + " never refuses: " + Faults.quote(other.name())
                                        + " counts the same requests by the same key and refuses no later; remove one of them");
                        break;
                    }
                }
            }
        }
    }

    private static List<Object> comparedPart(LimitRule limit) {
        return List.of(limit.per(), limit.cost(), limit.algorithm());
    }

    /** The place of each limit's name. */
    private Map<String, SourceLocation> locations() {
        Map<String, SourceLocation> locations = new HashMap<>();
        for (Located<Fields> limit : file.get(File.LIMITS, List.of())) {
            String name = limit.value().get(Limit.NAME);
            if (name != null) {
                locations.putIfAbsent(name, limit.value().location(Limit.NAME));
            }
        }
        return locations;
    }

    /** Whether one limit of a group refuses whenever another would: conditions as wide, numbers as small. */
    private static boolean hides(LimitRule one, LimitRule other) {
        Rate rate = soleRate(one);
        Rate otherRate = soleRate(other);
        return rate != null
                && otherRate != null
                && isAsWide(one.match(), other.match())
                && isAsSmall(one, rate, other, otherRate);
    }

    private static @Nullable Rate soleRate(LimitRule limit) {
        List<Rate> rates = limit.rates().get(LimitRule.DEFAULT_ROW);
        return limit.by() == null && rates != null && rates.size() == 1 && limit.algorithm() != Algorithm.CONCURRENCY
                ? rates.get(0)
                : null;
    }

    private static boolean isAsWide(Map<String, Condition> wide, Map<String, Condition> narrow) {
        return wide.entrySet().stream().allMatch(entry -> entry.getValue().equals(narrow.get(entry.getKey())));
    }

    private static boolean isAsSmall(LimitRule one, Rate rate, LimitRule other, Rate otherRate) {
        Duration period = rate.period();
        Duration otherPeriod = otherRate.period();
        if (period == null || otherPeriod == null) {
            return false;
        }
        if (one.algorithm() != Algorithm.TOKEN_BUCKET) {
            return period.equals(otherPeriod) && rate.count() <= otherRate.count();
        }
        long capacity = one.burst().getOrDefault(LimitRule.DEFAULT_ROW, rate.count());
        long otherCapacity = other.burst().getOrDefault(LimitRule.DEFAULT_ROW, otherRate.count());
        double perNano = (double) rate.count() / period.toNanos();
        double otherPerNano = (double) otherRate.count() / otherPeriod.toNanos();
        return capacity <= otherCapacity && perNano <= otherPerNano;
    }
}
