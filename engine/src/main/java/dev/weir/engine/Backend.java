package dev.weir.engine;

import dev.weir.Store;
import dev.weir.engine.settings.Settings;

/**
 * Where an engine keeps what it knows: counts, and the settings beside them.
 *
 * @param store closed with the engine
 * @param settings closed with the engine
 */
public record Backend(Store store, Settings settings) {}
