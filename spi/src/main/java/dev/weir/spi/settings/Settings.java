package dev.weir.spi.settings;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Where settings live: beside the counts, so that they survive what the counts survive and reach every node that the
 * counts reach.
 *
 * <p>Safe for use by any number of threads.
 */
public interface Settings extends AutoCloseable {

    /** The settings as this node knows them; never waits. */
    SettingsSnapshot current();

    /**
     * Makes a change and returns once it is durable: from then on no crash takes it back. Blocks for as long as that
     * takes, so it does not belong on an event loop.
     *
     * @return the settings after the change
     * @throws IllegalArgumentException if the settings would become too large; nothing changed
     * @throws SettingsException if it could not be made durable; the settings are as before
     */
    SettingsSnapshot apply(SettingsChange change);

    /** The latest changes, newest first, at most {@code count} of them and at most as many as are kept at hand. */
    List<AuditEntry> audit(int count);

    /**
     * What is wrong with the audit as it is kept: which line was changed, removed or added outside Weir. Reads all that is
     * kept, so it blocks.
     *
     * @return null if nothing is wrong, or if these settings are kept where it cannot be told
     */
    default @Nullable String auditFault() {
        return null;
    }

    /**
     * Calls back with the settings after each later change, this node's or another's, in the order of their versions. A
     * listener must be quick and must not change settings; one that throws is logged and harms nobody.
     *
     * @return ends the calls when closed
     */
    Registration onChange(Consumer<SettingsSnapshot> listener);

    /** Ends all calls to listeners and lets go of resources; everything acknowledged stays. */
    @Override
    void close();

    /** A listener's place in the list. */
    interface Registration extends AutoCloseable {
        @Override
        void close();
    }
}
