package dev.weir.engine.config.schema;

/** Checks patterns for the attribute {@code path}, whose values all begin with a slash. */
final class PathPatterns {
    private static final String ATTRIBUTE = "path";

    private final Faults faults;

    PathPatterns(Faults faults) {
        this.faults = faults;
    }

    /** Reports a pattern that matches no path. */
    void check(SourceLocation location, String attribute, String pattern) {
        if (attribute.equals(ATTRIBUTE) && !pattern.startsWith("/") && !pattern.startsWith("**")) {
            String likely = (pattern.startsWith("*") ? "*" : "/") + pattern;
            faults.add(
                    location,
                    "path is " + Faults.quote(pattern)
                            + ", which no path matches, as each begins with '/'; did you mean " + Faults.quote(likely)
                            + "?");
        }
    }
}
