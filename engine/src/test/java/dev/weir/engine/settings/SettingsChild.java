package dev.weir.engine.settings;

import dev.weir.spi.settings.SettingsChange;
import dev.weir.spi.settings.SettingsException;
import dev.weir.spi.settings.Subject;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;

/**
 * A process that changes settings without end and prints each version once it is acknowledged, so that a test can kill
 * it: {@code SettingsChild DIRECTORY}. The change that leads to version N sets the override of {@code agent=N}.
 */
final class SettingsChild {
    private SettingsChild() {}

    public static void main(String[] arguments) {
        // Small audit files, so that a kill can happen during their rotation, too.
        FileSettings settings = FileSettings.open(Path.of(arguments[0]), 2_000);
        System.out.println("open " + settings.current().version());
        while (true) {
            try {
                System.out.println(
                        settings.apply(change(settings.current().version() + 1)).version());
            } catch (SettingsException e) {
                System.out.println("failed " + settings.current().version() + " " + e.getMessage());
                return;
            }
        }
    }

    static SettingsChange change(long version) {
        return new SettingsChange.PutOverride(
                "child",
                Instant.ofEpochSecond(version),
                new Subject("agent", Long.toString(version)),
                Map.of("agent", Map.of("light", version + "/min")));
    }
}
