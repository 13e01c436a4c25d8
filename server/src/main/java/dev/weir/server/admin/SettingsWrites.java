package dev.weir.server.admin;

import dev.weir.server.WeirServer;
import dev.weir.spi.settings.SettingsException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Tracks whether changes of the settings can be made durable; a full disk, for example, refuses them. Logs when
 * failures begin and when they end, however many changes are tried in between. Thread-safe.
 */
public final class SettingsWrites {
    private static final Logger LOG = System.getLogger(WeirServer.class.getName());

    private final AtomicBoolean failing = new AtomicBoolean();

    /** Returns whether the latest change could not be written. */
    boolean areFailing() {
        return failing.get();
    }

    void succeeded() {
        if (failing.compareAndSet(true, false)) {
            LOG.log(Level.INFO, "changes of the settings are written again");
        }
    }

    /** Logs the message, which contains the location and the reason but no setting. */
    void failed(SettingsException e) {
        if (failing.compareAndSet(false, true)) {
            LOG.log(Level.ERROR, "changes of the settings are refused: " + e.getMessage());
        }
    }
}
