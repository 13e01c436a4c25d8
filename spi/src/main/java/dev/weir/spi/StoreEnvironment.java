package dev.weir.spi;

import dev.weir.spi.settings.SettingsFormat;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The arguments that an engine passes to a store that it opens.
 *
 * @param data the directory for files of a store that is not a service; null if there is none
 * @param settingsFormat converts settings to the bytes that the store keeps
 */
public record StoreEnvironment(@Nullable Path data, SettingsFormat settingsFormat) {}
