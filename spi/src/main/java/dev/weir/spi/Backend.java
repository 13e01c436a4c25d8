package dev.weir.spi;

import dev.weir.Store;
import dev.weir.spi.settings.Settings;

/**
 * The storage of an engine: the store of the counts, and the settings.
 *
 * @param store closed with the engine, which abandons a call after the store's {@link Store#deadline()}
 * @param settings closed with the engine
 */
public record Backend(Store store, Settings settings) {}
