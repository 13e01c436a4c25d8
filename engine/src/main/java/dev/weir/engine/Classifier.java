package dev.weir.engine;

import dev.weir.engine.config.ClassifyRule;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Derives one attribute from another: the first class whose patterns match, else the default. */
final class Classifier {
    final String derives;
    private final int target;
    private final int source;
    private final List<Map.Entry<String, List<Glob>>> classes;
    private final @Nullable String otherwise;

    Classifier(ClassifyRule rule, AttributeIndex index) {
        this.derives = rule.set();
        this.target = index.of(rule.set());
        this.source = index.of(rule.from());
        this.classes = rule.values().entrySet().stream()
                .map(entry -> Map.entry(
                        entry.getKey(), entry.getValue().stream().map(Glob::new).toList()))
                .toList();
        this.otherwise = rule.otherwise();
    }

    /** What is derived: the default also when the source is missing; null when there is no default. */
    @Nullable
    String derive(@Nullable String[] values) {
        String value = values[source];
        for (int i = 0; value != null && i < classes.size(); i++) {
            if (Conditions.matchesAny(classes.get(i).getValue(), value)) {
                return classes.get(i).getKey();
            }
        }
        return otherwise;
    }

    int target() {
        return target;
    }
}
