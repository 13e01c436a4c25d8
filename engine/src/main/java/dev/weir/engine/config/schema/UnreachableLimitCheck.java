package dev.weir.engine.config.schema;

import dev.weir.engine.config.ClassifyRule;
import dev.weir.engine.config.Condition;
import dev.weir.engine.config.WellKnownAttributes;
import dev.weir.engine.config.schema.ConfigurationKeys.Limit;
import dev.weir.engine.config.schema.MappingSchema.Fields;
import dev.weir.spi.Nearest;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Warns of limits that can never apply, and of attributes that are probably misspelt. */
final class UnreachableLimitCheck {
    /** Shorter names are one letter away from too many others: {@code id} is not a misspelt {@code ip}. */
    private static final int SHORTEST = 3;

    /** Attributes that a default or a rule may set. */
    private final Set<String> set = new HashSet<>();
    /** Attributes that every request has. */
    private final Set<String> always = new HashSet<>();

    private final Faults faults;

    UnreachableLimitCheck(Map<String, String> defaults, List<ClassifyRule> classify, Faults faults) {
        this.faults = faults;
        set.addAll(defaults.keySet());
        always.addAll(defaults.keySet());
        for (ClassifyRule rule : classify) {
            set.add(rule.set());
            if (rule.otherwise() != null) {
                always.add(rule.set());
            }
        }
    }

    void check(Fields limit) {
        Map<String, Located<Condition>> match = limit.get(Limit.MATCH, Map.of());
        match.forEach((attribute, condition) -> {
            checkSpelling(condition.location(), "match names", attribute);
            if (isAbsence(condition.value()) && always.contains(attribute)) {
                faults.warn(
                        condition.location(),
                        "match requires " + Faults.quote(attribute)
                                + " to be absent, but 'defaults' or 'classify' sets it"
                                + " for every request; this limit never applies");
            }
        });
        for (Located<List<String>> part : limit.get(Limit.PER, List.of())) {
            part.value().forEach(attribute -> checkSpelling(part.location(), "per names", attribute));
            if (part.value().stream().allMatch(attribute -> isUnmatched(match, attribute))) {
                faults.warn(
                        part.location(),
                        "per needs " + Faults.quote(String.join("|", part.value()))
                                + ", which match requires to be absent; this limit never applies");
            }
        }
    }

    private void checkSpelling(SourceLocation location, String who, String attribute) {
        if (attribute.length() < SHORTEST || set.contains(attribute) || WellKnownAttributes.NAMES.contains(attribute)) {
            return;
        }
        WellKnownAttributes.NAMES.stream()
                .filter(name -> name.length() >= SHORTEST && Nearest.editDistance(attribute, name) == 1)
                .findFirst()
                .ifPresent(name -> faults.warn(
                        location,
                        who + " " + Faults.quote(attribute) + ", which neither 'defaults' nor 'classify' sets; did you"
                                + " mean " + Faults.quote(name) + "?"));
    }

    private static boolean isUnmatched(Map<String, Located<Condition>> match, String attribute) {
        Located<Condition> condition = match.get(attribute);
        return condition != null && isAbsence(condition.value());
    }

    private static boolean isAbsence(Condition condition) {
        return condition.orAbsent() && condition.patterns().isEmpty();
    }
}
