package dev.weir.engine;

import dev.weir.engine.config.Condition;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What must hold of a request for a limit to apply. Immutable. */
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

    /** Whether nothing that is known speaks against them: what is absent may still come. */
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
