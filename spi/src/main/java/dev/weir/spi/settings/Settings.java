package dev.weir.spi.settings;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The storage of settings: beside the counts, so that settings are as durable as the counts and reach the same nodes.
 *
 * <p>Safe for use by any number of threads.
 */
public interface Settings extends AutoCloseable {

    /** The latest settings that this node has; never blocks. */
    SettingsSnapshot current();

    /**
     * Makes a change and returns once it is durable: from then on no crash loses it. Blocks for as long as that takes,
     * so it must not be called on an event loop.
     *
     * @return the settings after the change
     * @throws IllegalArgumentException if the settings would become too large; nothing changed
     * @throws SettingsException if it could not be made durable; the settings are unchanged
     */
    SettingsSnapshot apply(SettingsChange change);

    /** The latest changes, newest first: at most {@code count}, and at most as many as are kept in memory. */
    List<AuditEntry> audit(int count);

    /**
     * Checks the stored audit and describes what is wrong: which line was changed, removed or added outside Weir. Reads
     * the whole audit, so it blocks.
     *
     * @return null if nothing is wrong, or if the storage of these settings cannot detect it
     */
    default @Nullable String auditFault() {
        return null;
    }

    /**
     * Calls the listener with the settings after each later change, of this node or another, in the order of their
     * versions. A listener must be quick and must not change settings. An exception of a listener is logged and has no
     * other effect.
     *
     * @return ends the calls when closed
     */
    Registration onChange(Consumer<SettingsSnapshot> listener);

    /** Ends all calls to listeners and releases resources; acknowledged changes stay. */
    @Override
    void close();

    /** The registration of a listener. */
    interface Registration extends AutoCloseable {
        @Override
        void close();
    }
}
