package dev.weir.server;

import dev.weir.engine.config.ConfigurationReader;
import dev.weir.engine.config.ConfigurationReader.Result;
import dev.weir.engine.config.Presets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The source of a configuration.
 *
 * @param name the name shown to people
 * @param file the file; null for a source that cannot change
 * @param text the YAML of a source that is not a file
 */
public record ConfigurationSource(
        String name, @Nullable Path file, @Nullable String text) {

    public static ConfigurationSource file(Path file) {
        return new ConfigurationSource(file.toString(), file, null);
    }

    /**
     * Returns a preset.
     *
     * @throws IllegalArgumentException if no preset has this name; the message suggests the most similar one
     */
    public static ConfigurationSource preset(String name) {
        return new ConfigurationSource("presets/" + name + ".yaml", null, Presets.text(name));
    }

    /** Returns a configuration given as text. */
    public static ConfigurationSource text(String name, String yaml) {
        return new ConfigurationSource(name, null, yaml);
    }

    Result read(ConfigurationReader reader) {
        return file != null ? reader.read(file) : reader.read(name, String.valueOf(text));
    }
}
