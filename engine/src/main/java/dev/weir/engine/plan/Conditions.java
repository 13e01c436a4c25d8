package dev.weir.engine.plan;

import dev.weir.engine.config.Condition;
import dev.weir.engine.path.Glob;
import dev.weir.engine.path.PathNormalizer;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The conditions under which a limit applies to a request. Immutable. */
final class Conditions {
    private final Test[] tests;

    Conditions(Map<String, Condition> match, AttributeIndex index, PathNormalizer paths) {
        this.tests = match.entrySet().stream()
                .map(entry -> new Test(
                        index.ofCompared(entry.getKey()),
                        entry.getValue().patterns().stream()
                                .map(pattern -> new Glob(paths.pattern(entry.getKey(), pattern)))
                                .toList(),
                        entry.getValue().orAbsent()))
                .toArray(Test[]::new);
    }

    private record Test(int attribute, List<Glob> patterns, boolean orAbsent) {
        boolean holds(@Nullable String value) {
            return value == null ? orAbsent : matchesAny(patterns, value);
        }
    }

    boolean hold(@Nullable String[] values) {
        for (Test test : tests) {
            if (!test.holds(values[test.attribute])) {
                return false;
            }
        }
        return true;
    }

    /** Whether no known attribute contradicts the conditions; absent ones may still become known. */
    boolean mayHold(@Nullable String[] values) {
        for (Test test : tests) {
            if (values[test.attribute] != null && !test.holds(values[test.attribute])) {
                return false;
            }
        }
        return true;
    }

    static boolean matchesAny(List<Glob> patterns, String value) {
        for (int i = 0; i < patterns.size(); i++) {
            if (patterns.get(i).matches(value)) {
                return true;
            }
        }
        return false;
    }
}
