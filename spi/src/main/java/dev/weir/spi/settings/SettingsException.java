package dev.weir.spi.settings;

import org.jspecify.annotations.Nullable;

/** Settings could not be read or written. The message names the location and the remedy; no settings were lost. */
public final class SettingsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public SettingsException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    public SettingsException(String message) {
        this(message, null);
    }
}
