package dev.weir.spi;

import dev.weir.Store;
import dev.weir.spi.settings.Settings;
import java.time.Duration;

/**
 * Where an engine keeps what it knows: counts, and the settings beside them.
 *
 * @param store closed with the engine
 * @param settings closed with the engine
 * @param deadline how long a call of this store may take when all is well, its own bounds included: the engine gives it
 *     up after that, unless it was told another deadline
 */
public record Backend(Store store, Settings settings, Duration deadline) {
    /** What a store that says nothing needs. */
    public static final Duration USUAL_DEADLINE = Duration.ofMillis(50);

    /** One that answers as fast as most do. */
    public Backend(Store store, Settings settings) {
        this(store, settings, USUAL_DEADLINE);
    }
}
