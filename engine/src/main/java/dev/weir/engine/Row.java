package dev.weir.engine;

import dev.weir.Policy;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of a limit for one kind of caller.
 *
 * @param policies one for each rate of the limit
 * @param windows in which time each comes back
 * @param override the text of the override that they come from, which keeps its own counts; null for the file's numbers
 */
record Row(
        List<Policy> policies,
        List<Duration> windows,
        @Nullable String override) {}
