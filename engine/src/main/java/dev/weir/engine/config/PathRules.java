package dev.weir.engine.config;

/**
 * How the paths of requests are compared.
 *
 * @param ambiguous what happens to a request whose path servers read differently
 * @param letterCase whether upper and lower case are told apart
 */
public record PathRules(AmbiguousPaths ambiguous, PathCase letterCase) {
    /** Ambiguous paths count under all of their readings; upper and lower case are told apart. */
    public static final PathRules DEFAULT = new PathRules(AmbiguousPaths.COUNT_ALL, PathCase.SENSITIVE);
}
