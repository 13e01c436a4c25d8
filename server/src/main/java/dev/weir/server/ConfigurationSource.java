package dev.weir.server;

import dev.weir.engine.config.ConfigurationReader;
import dev.weir.engine.config.ConfigurationReader.Result;
import dev.weir.engine.config.Presets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where a configuration comes from.
 *
 * @param name as people call it
 * @param file null for what cannot change
 * @param text the YAML of what is no file
 */
public record ConfigurationSource(
        String name, @Nullable Path file, @Nullable String text) {

    public static ConfigurationSource file(Path file) {
        return new ConfigurationSource(file.toString(), file, null);
    }

    /**
     * A preset.
     *
     * @throws IllegalArgumentException if there is none of this name; the message suggests the nearest
     */
    public static ConfigurationSource preset(String name) {
        return new ConfigurationSource("presets/" + name + ".yaml", null, Presets.text(name));
    }

    /** A configuration that is at hand. */
    public static ConfigurationSource text(String name, String yaml) {
        return new ConfigurationSource(name, null, yaml);
    }

    Result read(ConfigurationReader reader) {
        return file != null ? reader.read(file) : reader.read(name, String.valueOf(text));
    }
}
