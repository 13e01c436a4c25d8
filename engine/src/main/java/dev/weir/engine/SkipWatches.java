package dev.weir.engine;

import dev.weir.engine.config.Configuration;
import dev.weir.engine.config.LimitRule;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** A {@link SkipWatch} for every limit of one configuration, which outlives changes of settings. Immutable. */
final class SkipWatches {
    private final Map<String, SkipWatch> byLimit = new LinkedHashMap<>();

    SkipWatches(Configuration configuration, InstantSource clock) {
        for (LimitRule limit : configuration.limits()) {
            byLimit.put(limit.name(), new SkipWatch(limit.name(), clock));
        }
    }

    SkipWatch of(LimitRule limit) {
        return Objects.requireNonNull(byLimit.get(limit.name()), "a limit of this configuration");
    }

    /** In the order of the configuration. */
    List<NeverApplied> reports() {
        return byLimit.values().stream()
                .map(SkipWatch::report)
                .filter(Objects::nonNull)
                .toList();
    }
}
