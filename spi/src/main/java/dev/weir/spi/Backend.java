package dev.weir.spi;

import dev.weir.Store;
import dev.weir.spi.settings.Settings;

/**
 * Where an engine keeps what it knows: counts, and the settings beside them.
 *
 * @param store closed with the engine, which gives up a call after the store's {@link Store#deadline()}
 * @param settings closed with the engine
 */
public record Backend(Store store, Settings settings) {}
