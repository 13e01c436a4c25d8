package dev.weir.spring.web;

import dev.weir.spring.SetupException;
import dev.weir.spring.WeirProperties;
import java.util.List;
import org.springframework.http.server.PathContainer;
import org.springframework.http.server.PathContainer.Options;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;
import org.springframework.web.util.pattern.PatternParseException;

/**
 * Selects the limited requests by their paths. It reads a path as the application's own mappings do: a path that is
 * skipped here must not reach a limited handler there.
 */
public final class LimitedPaths {
    private static final Options DECODED = Options.create('/', false);

    private final Options options;
    private final List<PathPattern> paths;
    private final List<PathPattern> skip;

    private LimitedPaths(WeirProperties.Filter filter, Options options) {
        PathPatternParser parser = new PathPatternParser();
        parser.setPathOptions(options);
        this.options = options;
        this.paths = parse("weir.filter.paths", filter.paths(), parser);
        this.skip = parse("weir.filter.skip", filter.skip(), parser);
    }

    /**
     * For paths that a container has decoded and normalized.
     *
     * @throws SetupException if a pattern is not valid
     */
    public static LimitedPaths decoded(WeirProperties.Filter filter) {
        return new LimitedPaths(filter, DECODED);
    }

    /**
     * For paths as they were sent.
     *
     * @throws SetupException if a pattern is not valid
     */
    public static LimitedPaths sent(WeirProperties.Filter filter) {
        return new LimitedPaths(filter, Options.HTTP_PATH);
    }

    /** Whether a request for this path is limited. */
    public boolean contains(String path) {
        return contains(PathContainer.parsePath(path, options));
    }

    /** Whether a request for this path is limited. */
    public boolean contains(PathContainer path) {
        return paths.stream().anyMatch(pattern -> pattern.matches(path))
                && skip.stream().noneMatch(pattern -> pattern.matches(path));
    }

    private static List<PathPattern> parse(String property, List<String> patterns, PathPatternParser parser) {
        return patterns.stream()
                .map(pattern -> {
                    try {
                        return parser.parse(pattern);
                    } catch (PatternParseException e) {
                        throw new SetupException(
                                property + " has '" + pattern + "', which is not a path pattern: " + e.getMessage(),
                                "Write it like /api/** or /health.");
                    }
                })
                .toList();
    }
}
