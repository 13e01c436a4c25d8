package dev.weir.spi;

import dev.weir.spi.settings.SettingsFormat;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What an engine gives a store that it opens.
 *
 * @param data where a store that is no service may keep files; null for nowhere
 * @param settingsFormat how settings become bytes that the store keeps
 */
public record StoreEnvironment(@Nullable Path data, SettingsFormat settingsFormat) {}
