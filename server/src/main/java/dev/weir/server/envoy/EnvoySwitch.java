package dev.weir.server.envoy;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The switches among the environment variables of Envoy's own service. They are on by {@code true}, {@code t} or
 * {@code 1}, as in the original: one that was on there, such as TLS, must not be off here without a message.
 */
public final class EnvoySwitch {
    private EnvoySwitch() {}

    /**
     * Returns whether a switch is on. An empty one counts as missing, which is off.
     *
     * @throws IllegalArgumentException if the value is neither on nor off
     */
    public static boolean isOn(String name, @Nullable String value) {
        if (value == null || value.isBlank()) {
            return false;
        }
        return switch (value.strip().toLowerCase(Locale.ROOT)) {
            case "true", "t", "1" -> true;
            case "false", "f", "0" -> false;
            default ->
                throw new IllegalArgumentException(name + " is '" + value.strip() + "'; it must be true or false");
        };
    }
}
