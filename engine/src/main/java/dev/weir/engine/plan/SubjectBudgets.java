package dev.weir.engine.plan;

import dev.weir.Key;
import dev.weir.engine.ResetReport;
import dev.weir.engine.config.ClassifyRule;
import dev.weir.engine.config.Condition;
import dev.weir.engine.config.Configuration;
import dev.weir.engine.config.LimitRule;
import dev.weir.engine.path.Glob;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the budgets of a subject that is given by some attributes: those of every limit whose key contains one of them,
 * and that can apply to a request with all of them.
 *
 * <p>A key may have further parts. Their values are those that the configuration names (classes, conditions, defaults,
 * rows), and those of recently seen keys. At most {@link #MOST} budgets are found. Not thread-safe.
 */
public final class SubjectBudgets {
    private static final int MOST = 1_000;
    /** The channels of the bindings. */
    private static final List<String> CHANNELS = List.of("http", "ws", "grpc");

    private final Configuration configuration;
    private final PreparedLimit[] limits;
    private final String[] names;
    private final SeenKeys seen;
    /** By the plan's attribute numbers: the given values, and those derived from them. */
    private final @Nullable String[] given;

    private final Set<Key> keys = new LinkedHashSet<>();
    private final Set<Key> subjects = new LinkedHashSet<>();
    private final Set<ResetReport.Budget> budgets = new LinkedHashSet<>();
    private final Set<String> incomplete = new LinkedHashSet<>();

    SubjectBudgets(
            Configuration configuration,
            PreparedLimit[] limits,
            String[] names,
            SeenKeys seen,
            @Nullable String[] given) {
        this.configuration = configuration;
        this.limits = limits;
        this.names = names;
        this.seen = seen;
        this.given = given;
    }

    SubjectBudgets find() {
        for (PreparedLimit limit : limits) {
            if (limit.keys.hasOneOf(given) && limit.mayApply(given)) {
                find(limit);
            }
        }
        return this;
    }

    /** The keys of all budgets, for all their rates. */
    public List<Key> keys() {
        return List.copyOf(keys);
    }

    /** The key of each budget without the suffix of a rate or an override. */
    public List<Key> subjects() {
        return List.copyOf(subjects);
    }

    public ResetReport report() {
        return new ResetReport(keys.size(), List.copyOf(budgets), List.copyOf(incomplete));
    }

    private void find(PreparedLimit limit) {
        List<@Nullable String[]> found = new ArrayList<>();
        found.add(given.clone());
        for (int[] part : limit.keys.partNumbers()) {
            if (KeyBuilder.firstPresent(part, given) < 0) {
                found = extended(limit, part, found);
            }
        }
        found.forEach(values -> add(limit, values));
        for (Key key : seen.of(limit.rule.name())) {
            @Nullable String[] values = limit.keys.valuesOf(key, given);
            if (values != null) {
                add(limit, values);
            }
        }
    }

    /** Each of the found combinations, with each value that the part can have. */
    private List<@Nullable String[]> extended(PreparedLimit limit, int[] part, List<@Nullable String[]> found) {
        List<@Nullable String[]> extended = new ArrayList<>();
        for (int attribute : part) {
            Set<String> candidates = candidates(limit.rule, names[attribute]);
            for (@Nullable String[] values : found) {
                for (String candidate : candidates) {
                    @Nullable String[] more = values.clone();
                    more[attribute] = candidate;
                    if (extended.size() < MOST) {
                        extended.add(more);
                    } else {
                        incomplete.add(limit.rule.name());
                    }
                }
            }
        }
        return extended;
    }

    private Set<String> candidates(LimitRule limit, String attribute) {
        Set<String> all = new LinkedHashSet<>();
        boolean isComplete = attribute.equals("channel");
        if (isComplete) {
            all.addAll(CHANNELS);
        }
        for (ClassifyRule rule : configuration.classify()) {
            if (rule.set().equals(attribute)) {
                all.addAll(rule.values().keySet());
                if (rule.otherwise() != null) {
                    all.add(rule.otherwise());
                    isComplete = true;
                }
            }
            if (rule.from().equals(attribute)) {
                rule.values().values().forEach(patterns -> addLiterals(all, patterns));
            }
        }
        String otherwise = configuration.defaults().get(attribute);
        if (otherwise != null) {
            all.add(otherwise);
        }
        for (LimitRule rule : configuration.limits()) {
            Condition condition = rule.match().get(attribute);
            if (condition != null) {
                addLiterals(all, condition.patterns());
            }
            if (attribute.equals(rule.by())) {
                rule.rates().keySet().stream()
                        .filter(row -> !row.equals(LimitRule.DEFAULT_ROW))
                        .forEach(all::add);
            }
        }
        Condition own = limit.match().get(attribute);
        if (own != null && own.patterns().stream().allMatch(pattern -> new Glob(pattern).isLiteral())) {
            isComplete = true;
        }
        if (!isComplete) {
            incomplete.add(limit.name());
        }
        return all;
    }

    private static void addLiterals(Set<String> all, List<String> patterns) {
        patterns.stream().filter(pattern -> new Glob(pattern).isLiteral()).forEach(all::add);
    }

    private void add(PreparedLimit limit, @Nullable String[] values) {
        if (!limit.mayApply(values) || !limit.keys.fits(values)) {
            return;
        }
        if (budgets.size() >= MOST) {
            incomplete.add(limit.rule.name());
            return;
        }
        keys.addAll(limit.possibleKeys(values));
        subjects.add(limit.keys.key(values, List.of()));
        budgets.add(new ResetReport.Budget(limit.rule.name(), limit.keys.attributes(values), limit.isForLeases));
    }
}
