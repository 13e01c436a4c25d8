package dev.weir.engine.config;

/**
 * How the paths of requests are compared.
 *
 * @param ambiguous the treatment of a request whose path servers read differently
 * @param letterCase whether paths are case-sensitive
 */
public record PathRules(AmbiguousPaths ambiguous, PathCase letterCase) {
    /** Ambiguous paths count under all of their readings; paths are case-sensitive. */
    public static final PathRules DEFAULT = new PathRules(AmbiguousPaths.COUNT_ALL, PathCase.SENSITIVE);
}
