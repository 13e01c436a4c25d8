package dev.weir.engine.plan;

import dev.weir.engine.config.Condition;
import dev.weir.engine.path.ClientText;
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

    /** The first condition that does not hold, for people; null if all hold. */
    @Nullable
    String unmet(@Nullable String[] values, Map<String, Condition> match) {
        int place = 0;
        for (Map.Entry<String, Condition> entry : match.entrySet()) {
            Test test = tests[place++];
            String value = values[test.attribute];
            if (!test.holds(value)) {
                String patterns = String.join(", ", entry.getValue().patterns());
                String wanted = patterns.isEmpty() ? "absent" : test.orAbsent ? patterns + " or absent" : patterns;
                return "match: " + entry.getKey() + " must be " + wanted + ", and is "
                        + (value == null ? "absent" : "'" + ClientText.shown(value, 64) + "'");
            }
        }
        return null;
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
