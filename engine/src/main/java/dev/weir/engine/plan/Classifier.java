package dev.weir.engine.plan;

import dev.weir.engine.config.ClassifyRule;
import dev.weir.engine.path.Glob;
import dev.weir.engine.path.PathNormalizer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Derives one attribute from another: the first class whose patterns match, else the default. Immutable. */
final class Classifier {
    final ClassifyRule rule;
    final int target;
    final int source;
    /** The index of the class of each literal value. */
    private final Map<String, Integer> literals = new HashMap<>();
    /** The patterns of each class, without literal values. */
    private final List<List<Glob>> patterns = new ArrayList<>();

    private final String[] classes;
    private final UnclassifiedValueLog unclassifiedLog;

    Classifier(ClassifyRule rule, AttributeIndex index, PathNormalizer paths, UnclassifiedValueLog unclassifiedLog) {
        this.rule = rule;
        this.target = index.of(rule.set());
        this.source = index.ofCompared(rule.from());
        this.unclassifiedLog = unclassifiedLog;
        this.classes = rule.values().keySet().toArray(new String[0]);
        for (List<String> values : rule.values().values()) {
            int place = patterns.size();
            List<Glob> globs = values.stream()
                    .map(value -> new Glob(paths.pattern(rule.from(), value)))
                    .toList();
            globs.stream().filter(Glob::isLiteral).forEach(glob -> literals.putIfAbsent(glob.toString(), place));
            patterns.add(globs.stream().filter(glob -> !glob.isLiteral()).toList());
        }
    }

    /** The derived value; the default also if the source is missing; null if there is no default. */
    @Nullable
    String derive(@Nullable String[] values) {
        String value = values[source];
        if (value == null) {
            return rule.otherwise();
        }
        Integer literal = literals.isEmpty() ? null : literals.get(value);
        int end = literal == null ? patterns.size() : literal;
        for (int i = 0; i < end; i++) {
            if (Conditions.matchesAny(patterns.get(i), value)) {
                return classes[i];
            }
        }
        if (literal != null) {
            return classes[literal];
        }
        if (rule.otherwise() != null) {
            unclassifiedLog.note(rule, value);
        }
        return rule.otherwise();
    }
}
