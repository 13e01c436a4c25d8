package dev.weir.server;

import dev.weir.spi.settings.SettingsException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Whether changes of the settings can be made durable: a full disk, for example, refuses them. Logged when it begins and
 * when it ends, however often a change is tried in between. Thread-safe.
 */
final class SettingsWrites {
    private static final Logger LOG = System.getLogger(WeirServer.class.getName());

    private final AtomicBoolean failing = new AtomicBoolean();

    /** Whether the latest change could not be written. */
    boolean areFailing() {
        return failing.get();
    }

    void succeeded() {
        if (failing.compareAndSet(true, false)) {
            LOG.log(Level.INFO, "changes of the settings are written again");
        }
    }

    /** The message names the place and the reason, and no setting. */
    void failed(SettingsException e) {
        if (failing.compareAndSet(false, true)) {
            LOG.log(Level.ERROR, "changes of the settings are refused: " + e.getMessage());
        }
    }
}
