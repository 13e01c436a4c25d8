package dev.weir.engine.config;

import dev.weir.engine.config.schema.Faults;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The predefined configurations of the library. */
public final class Presets {
    private static final List<String> NAMES =
            List.of("agent-hub", "ai-saas", "chat", "credential-api", "device-ingest");

    private Presets() {}

    /** The names of the presets, sorted. */
    public static List<String> names() {
        return NAMES;
    }

    /**
     * The YAML text of a preset, to be read or used as the start of a configuration.
     *
     * @throws IllegalArgumentException if there is no preset with this name; the message suggests the nearest
     */
    public static String text(String name) {
        if (!NAMES.contains(name)) {
            String nearest = Faults.didYouMean(name, NAMES);
            throw new IllegalArgumentException("there is no preset " + Faults.quote(name)
                    + (nearest.isEmpty() ? "; choose one of " + String.join(", ", NAMES) : nearest));
        }
        try (InputStream in = Presets.class.getResourceAsStream("/dev/weir/presets/" + name + ".yaml")) {
            if (in == null) {
                throw new IllegalStateException("the preset " + name + " is missing from this build of weir-engine");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
