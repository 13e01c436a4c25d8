package dev.weir.engine.config.schema;

import dev.weir.DurationText;
import dev.weir.engine.address.ClientAddress;
import dev.weir.engine.address.ProxyHeader;
import dev.weir.engine.config.ClassifyRule;
import dev.weir.engine.config.Configuration;
import dev.weir.engine.config.Durations;
import dev.weir.engine.config.FailurePolicy;
import dev.weir.engine.config.ForwardAuthRule;
import dev.weir.engine.config.HoldRule;
import dev.weir.engine.config.LimitRule;
import dev.weir.engine.config.PathRules;
import dev.weir.engine.config.PenaltyRule;
import dev.weir.engine.config.schema.ConfigurationKeys.Alert;
import dev.weir.engine.config.schema.ConfigurationKeys.Classify;
import dev.weir.engine.config.schema.ConfigurationKeys.File;
import dev.weir.engine.config.schema.ConfigurationKeys.ForwardAuth;
import dev.weir.engine.config.schema.ConfigurationKeys.Holds;
import dev.weir.engine.config.schema.ConfigurationKeys.Penalty;
import dev.weir.engine.config.schema.MappingSchema.Fields;
import dev.weir.engine.event.AlertRule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Builds a configuration from a file's keys, and checks its references. */
public final class ConfigurationBuilder {
    private static final List<Duration> BACKOFF = List.of(
            Duration.ofSeconds(1),
            Duration.ofSeconds(2),
            Duration.ofSeconds(5),
            Duration.ofSeconds(10),
            Duration.ofSeconds(30));

    /** The bounds on the duration that an alert looks at. */
    private static final Duration SHORTEST_WATCH = Duration.ofSeconds(1);

    private static final Duration LONGEST_WATCH = Duration.ofDays(31);
    /** The fewest requests for which a denied share is computed. */
    private static final int SHARE_MINIMUM = 20;

    private final Faults faults;
    private final PathPatterns pathPatterns;

    public ConfigurationBuilder(Faults faults) {
        this.faults = faults;
        this.pathPatterns = new PathPatterns(faults);
    }

    /** Builds the configuration; the result is invalid if there are faults. */
    public Configuration build(Fields file) {
        FailurePolicy onStoreFailure = file.get(File.ON_STORE_FAILURE, FailurePolicy.DENY);
        List<Located<Fields>> rules = file.get(File.CLASSIFY, List.of());
        List<ClassifyRule> classify = classify(rules);
        Map<String, String> defaults = defaults(file);
        Configuration configuration = new Configuration(
                file.get(File.ENABLED, true),
                file.get(File.STORE, StoreUriReader.MEMORY),
                onStoreFailure,
                values(file.get(File.TRUSTED_PROXIES, List.of())),
                forwardAuth(file),
                (int) (long) file.get(File.IPV6_PREFIX, 64L),
                defaults,
                classify,
                limits(
                        file,
                        new LimitBuilder(onStoreFailure, outcomes(classify), faults),
                        new UnreachableLimitCheck(defaults, classify, faults)),
                penalty(file),
                exempt(file),
                alerts(file),
                holds(file),
                paths(file));
        if (faults.isEmpty()) {
            new ConfigurationAdvice(file, configuration, faults).check();
        }
        return configuration;
    }

    private static HoldRule holds(Fields file) {
        HoldRule usual = HoldRule.defaults();
        Fields holds = file.get(File.HOLDS);
        return holds == null
                ? usual
                : new HoldRule(
                        holds.get(Holds.LONGEST_RESERVATION, usual.longestReservation()),
                        holds.get(Holds.LONGEST_LEASE, usual.longestLease()),
                        holds.get(Holds.OPEN_RESERVATIONS, usual.openReservations()));
    }

    private ForwardAuthRule forwardAuth(Fields file) {
        Fields rule = file.get(File.FORWARD_AUTH);
        if (rule == null) {
            return ForwardAuthRule.NONE;
        }
        Map<String, String> headers = new LinkedHashMap<>();
        rule.get(ForwardAuth.HEADERS, Map.of()).forEach((attribute, header) -> {
            if (ForwardAuthRule.COMPUTED.contains(attribute)) {
                faults.add(
                        header.location(),
                        "'" + attribute + "' follows from the request itself and no header may set it; remove this"
                                + " line, or choose another attribute than "
                                + String.join(", ", ForwardAuthRule.COMPUTED));
            }
            headers.put(attribute, header.value());
        });
        if (!headers.isEmpty() && !file.has(File.TRUSTED_PROXIES)) {
            faults.warn(
                    rule.keyPlace(ForwardAuth.HEADERS),
                    "headers count only from 'trusted-proxies', and there are none; name the proxy's address there");
        }
        return new ForwardAuthRule(headers, rule.get(ForwardAuth.CLIENT_ADDRESS, ProxyHeader.X_FORWARDED_FOR));
    }

    private static PathRules paths(Fields file) {
        Fields paths = file.get(File.PATHS);
        return paths == null
                ? PathRules.DEFAULT
                : new PathRules(
                        paths.get(ConfigurationKeys.Paths.AMBIGUOUS, PathRules.DEFAULT.ambiguous()),
                        paths.get(ConfigurationKeys.Paths.CASE, PathRules.DEFAULT.letterCase()));
    }

    private static Map<String, String> defaults(Fields file) {
        Map<String, String> defaults = new LinkedHashMap<>();
        file.get(File.DEFAULTS, Map.of()).forEach((name, value) -> defaults.put(name, value.value()));
        return defaults;
    }

    private Map<String, Set<String>> exempt(Fields file) {
        Map<String, Set<String>> exempt = new LinkedHashMap<>();
        file.get(File.EXEMPT, Map.of()).forEach((name, placed) -> {
            for (Located<String> value : placed.value()) {
                if (name.equals("ip") && value.value().equals(ClientAddress.UNKNOWN)) {
                    faults.add(
                            value.location(),
                            "'unknown' is every client whose address is not known, and cannot be exempt; remove it");
                }
            }
            exempt.put(name, new LinkedHashSet<>(values(placed.value())));
        });
        return exempt;
    }

    private List<LimitRule> limits(Fields file, LimitBuilder builder, UnreachableLimitCheck unreachable) {
        Map<String, SourceLocation> names = new HashMap<>();
        List<LimitRule> limits = new ArrayList<>();
        for (Located<Fields> limit : file.get(File.LIMITS, List.of())) {
            SourceLocation location = limit.value().location(ConfigurationKeys.Limit.NAME);
            String name = limit.value().get(ConfigurationKeys.Limit.NAME);
            SourceLocation before = name == null ? null : names.putIfAbsent(name, location);
            if (before != null) {
                faults.add(
                        location,
                        "there is a limit '" + name + "' already, on line " + before.line() + "; names must be unique");
            }
            unreachable.check(limit.value());
            limit.value()
                    .get(ConfigurationKeys.Limit.MATCH, Map.of())
                    .forEach((attribute, condition) -> condition
                            .value()
                            .patterns()
                            .forEach(pattern -> pathPatterns.check(condition.location(), attribute, pattern)));
            LimitRule built = builder.build(limit.value());
            if (built != null) {
                limits.add(built);
            }
        }
        return limits;
    }

    private List<ClassifyRule> classify(List<Located<Fields>> rules) {
        Map<String, Integer> lastSetBy = new HashMap<>();
        for (int i = 0; i < rules.size(); i++) {
            String set = rules.get(i).value().get(Classify.SET);
            if (set != null) {
                lastSetBy.put(set, i);
            }
        }
        Set<String> setBefore = new HashSet<>();
        List<ClassifyRule> classify = new ArrayList<>();
        for (Located<Fields> placed : rules) {
            Fields rule = placed.value();
            String set = rule.get(Classify.SET);
            String from = rule.get(Classify.FROM);
            Map<String, Located<List<Located<String>>>> values = rule.get(Classify.VALUES);
            if (from != null && from.equals(set)) {
                faults.add(
                        rule.location(Classify.FROM),
                        "from is '" + from + "', the attribute that the rule sets; it must" + " be another one");
            } else if (from != null && lastSetBy.containsKey(from) && !setBefore.contains(from)) {
                faults.add(
                        rule.location(Classify.FROM),
                        "from is '" + from + "', which only a later rule sets; move that" + " rule up");
            }
            if (set != null) {
                setBefore.add(set);
            }
            if (values != null && from != null) {
                values.values().stream()
                        .flatMap(patterns -> patterns.value().stream())
                        .forEach(pattern -> pathPatterns.check(pattern.location(), from, pattern.value()));
            }
            if (values != null) {
                checkClasses(rule.location(Classify.VALUES), values);
            }
            if (set != null && from != null && values != null) {
                classify.add(new ClassifyRule(set, from, classes(values), rule.get(Classify.DEFAULT)));
            }
        }
        return classify;
    }

    private static Map<String, List<String>> classes(Map<String, Located<List<Located<String>>>> values) {
        Map<String, List<String>> classes = new LinkedHashMap<>();
        values.forEach((name, patterns) -> classes.put(name, values(patterns.value())));
        return classes;
    }

    /** Reports patterns that can never win, because an earlier class has the same pattern. */
    private void checkClasses(SourceLocation location, Map<String, Located<List<Located<String>>>> values) {
        if (values.isEmpty()) {
            faults.add(location, "values has no class; it needs at least one");
        }
        Map<String, String> classOf = new HashMap<>();
        values.forEach((name, patterns) -> {
            for (Located<String> pattern : patterns.value()) {
                String before = classOf.putIfAbsent(pattern.value(), name);
                if (before != null) {
                    faults.add(
                            pattern.location(),
                            Faults.quote(pattern.value()) + " is in class " + Faults.quote(before)
                                    + " already, and the first match wins; remove one of them");
                }
            }
        });
    }

    /** The possible values of the attributes that the rules set for every request. */
    private static Map<String, Set<String>> outcomes(List<ClassifyRule> classify) {
        Map<String, Set<String>> outcomes = new HashMap<>();
        Set<String> always = new HashSet<>();
        for (ClassifyRule rule : classify) {
            Set<String> values = outcomes.computeIfAbsent(rule.set(), set -> new LinkedHashSet<>());
            values.addAll(rule.values().keySet());
            if (rule.otherwise() != null) {
                values.add(rule.otherwise());
                always.add(rule.set());
            }
        }
        outcomes.keySet().retainAll(always);
        return outcomes;
    }

    private @Nullable PenaltyRule penalty(Fields file) {
        Fields penalty = file.get(File.PENALTY);
        if (penalty == null) {
            return null;
        }
        List<String> per = values(penalty.get(Penalty.PER, List.of()));
        if (per.isEmpty() && penalty.get(Penalty.PER) != null) {
            faults.add(
                    penalty.location(Penalty.PER), "per is an empty list; it must name the attribute of the subject");
        }
        List<Located<Duration>> given = penalty.get(Penalty.BACKOFF);
        if (given != null && given.isEmpty()) {
            faults.add(
                    penalty.location(Penalty.BACKOFF),
                    "backoff is an empty list; it needs at least one duration " + Durations.EXAMPLES);
        }
        return new PenaltyRule(
                per,
                given == null ? BACKOFF : values(given),
                penalty.get(Penalty.RESET_AFTER, Duration.ofSeconds(60)),
                penalty.get(Penalty.ENFORCE, false));
    }

    private List<AlertRule> alerts(Fields file) {
        List<AlertRule> alerts = new ArrayList<>();
        for (Located<Fields> alert : file.get(File.ALERTS, List.of())) {
            AlertRule rule = alert(alert.location(), alert.value(), alerts.size() + 1);
            if (rule != null) {
                alerts.add(rule);
            }
        }
        return alerts;
    }

    /** An alert is named after what it watches, with its number. */
    private @Nullable AlertRule alert(SourceLocation location, Fields alert, int number) {
        if (alert.has(Alert.VIOLATIONS) == alert.has(Alert.DENIED_SHARE)) {
            faults.add(
                    location,
                    alert.has(Alert.VIOLATIONS)
                            ? "an alert has both 'violations' and 'denied-share'; make two alerts of them"
                            : "an alert has neither 'violations' nor 'denied-share'; it needs one of them");
            return null;
        }
        Duration within = alert.get(Alert.WITHIN, Duration.ofMinutes(5));
        if (within.compareTo(SHORTEST_WATCH) < 0 || within.compareTo(LONGEST_WATCH) > 0) {
            faults.add(
                    alert.location(Alert.WITHIN),
                    "within is " + DurationText.of(within) + "; for an alert it must be a second to 31 days");
            within = SHORTEST_WATCH;
        }
        if (alert.has(Alert.SECRET) && alert.get(Alert.WEBHOOK) == null && !alert.has(Alert.WEBHOOK)) {
            faults.add(
                    alert.keyPlace(Alert.SECRET),
                    "secret signs what is sent to 'webhook', and there is none; remove it");
        }
        Long violations = alert.get(Alert.VIOLATIONS);
        if (violations != null) {
            return new AlertRule.Violations(
                    "violations-" + number,
                    Math.toIntExact(violations),
                    within,
                    values(alert.get(Alert.PER, List.of())),
                    alert.get(Alert.WEBHOOK),
                    alert.get(Alert.SECRET));
        }
        if (alert.has(Alert.DENIED_SHARE) && alert.has(Alert.PER)) {
            faults.add(alert.keyPlace(Alert.PER), "per is for 'violations'; 'denied-share' counts all requests");
        }
        Integer share = alert.get(Alert.DENIED_SHARE);
        return share == null
                ? null
                : new AlertRule.DeniedShare(
                        "denied-share-" + number,
                        share,
                        within,
                        SHARE_MINIMUM,
                        alert.get(Alert.WEBHOOK),
                        alert.get(Alert.SECRET));
    }

    private static <T> List<T> values(List<Located<T>> placed) {
        return placed.stream().map(Located::value).toList();
    }
}
