package dev.weir.engine.settings;

import dev.weir.spi.settings.AuditEntry;
import dev.weir.spi.settings.KnownSettings;
import dev.weir.spi.settings.Settings;
import dev.weir.spi.settings.SettingsChange;
import dev.weir.spi.settings.SettingsException;
import dev.weir.spi.settings.SettingsSnapshot;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Settings in one file of a directory: what the memory store has beside its counts.
 *
 * <ul>
 *   <li>{@code settings.json}: the settings, see {@link JsonSettingsFormat}. Every change writes a new file, syncs it, puts it
 *       in the old one's place in one step and syncs the directory before it is acknowledged. So after a crash the file
 *       is the old or the new one and never a mixture.
 *   <li>{@code settings-audit.jsonl}: who changed what and when; full files of 1 MiB move to {@code .1} … {@code .4}.
 *       Each line holds the hash of the line before, which {@link #auditFault()} and every opening verify.
 *   <li>{@code settings.lock}: keeps a second process out.
 * </ul>
 *
 * <p>A file that is torn, foreign, changed by hand or of a newer format is an error when opened, and is never written to.
 * A change that fails (a full disk, a directory that may not be written) leaves everything as it was, on disk and in
 * memory, and a later one may succeed. Files are readable by their owner only.
 */
public final class FileSettings extends KnownSettings {
    static final String NAME = "settings.json";

    private static final Logger LOG = System.getLogger(Settings.class.getName());

    private static final JsonSettingsFormat FORMAT = new JsonSettingsFormat();
    private static final long MAX_BYTES = 16L << 20;
    private static final long MAX_AUDIT_BYTES = 1L << 20;

    private final DataDirectory directory;
    private final AuditLog log;
    /** Changed, as the files are, only {@link #alone}. */
    private boolean closed;
    /** Whether nobody knows which of two versions the disk would show after a crash. */
    private boolean inDoubt;

    private FileSettings(DataDirectory directory, SettingsSnapshot snapshot, long maxAuditBytes) throws IOException {
        super(snapshot);
        this.directory = directory;
        this.log = AuditLog.open(directory, snapshot.version(), maxAuditBytes, this::remember);
    }

    /**
     * Opens the settings of a directory, making it if need be.
     *
     * @throws SettingsException if they are in use, unreadable or damaged; the message names the file and what to do
     */
    public static FileSettings open(Path directory) {
        return open(directory, MAX_AUDIT_BYTES);
    }

    static FileSettings open(Path path, long maxAuditBytes) {
        try {
            DataDirectory directory = DataDirectory.open(path);
            try {
                SettingsSnapshot snapshot = read(directory.file(NAME));
                directory.discard(NAME);
                return new FileSettings(directory, snapshot, maxAuditBytes);
            } catch (IOException | RuntimeException e) {
                directory.close();
                throw e;
            }
        } catch (IOException e) {
            throw new SettingsException(
                    path + " cannot hold settings (" + e + "); choose a directory that this user may write", e);
        }
    }

    @Override
    protected SettingsSnapshot make(SettingsChange change) {
        checkUsable();
        SettingsSnapshot next = current().with(change);
        keep(new AuditEntry(next.version(), change), encoded(next));
        LOG.log(Level.INFO, "settings are at version " + next.version() + "; audit hash " + log.head());
        return super.make(change);
    }

    @Override
    public @Nullable String auditFault() {
        Optional<String> fault = alone(() -> {
            try {
                return closed
                        ? Optional.empty()
                        : Optional.ofNullable(log.fault(current().version()));
            } catch (IOException e) {
                throw new SettingsException(directory.file(AuditLog.NAME) + " cannot be read (" + e + ")", e);
            }
        });
        return fault.orElse(null);
    }

    @Override
    public void close() {
        boolean unused = alone(() -> {
            if (!closed) {
                closed = true;
                super.close();
                closeFiles();
            }
            return closed;
        });
    }

    private static SettingsSnapshot read(Path file) throws IOException {
        byte[] content = DataDirectory.read(file, MAX_BYTES);
        if (content == null) {
            return SettingsSnapshot.empty();
        }
        try {
            return FORMAT.readSnapshot(content);
        } catch (SettingsException e) {
            throw new SettingsException(file + " " + e.getMessage(), e);
        }
    }

    private void checkUsable() {
        if (closed) {
            throw new IllegalStateException("the settings are closed");
        }
        if (inDoubt) {
            throw new SettingsException(
                    directory.file(NAME)
                            + " could not be synced earlier, so nobody knows what a crash would leave; check the disk and restart");
        }
    }

    private static byte[] encoded(SettingsSnapshot snapshot) {
        byte[] content = FORMAT.write(snapshot);
        if (content.length > MAX_BYTES) {
            throw new IllegalArgumentException(
                    "settings would have " + content.length + " bytes; at most " + MAX_BYTES + " are kept");
        }
        return content;
    }

    /** First the audit, then the settings, each durable before the next: a change is audited or not made. */
    private void keep(AuditEntry entry, byte[] content) {
        try {
            log.append(entry);
            directory.replace(NAME, content);
        } catch (IOException e) {
            log.takeBack();
            throw new SettingsException(
                    directory.file(NAME) + " could not be written (" + e + "); the settings are as before", e);
        }
        try {
            directory.sync();
        } catch (IOException e) {
            inDoubt = true;
            throw new SettingsException(
                    directory.file(NAME) + " was written and could not be synced (" + e
                            + "); this process goes on with the settings as before, check the disk and restart",
                    e);
        }
    }

    private void closeFiles() {
        try (directory) {
            log.close();
        } catch (IOException e) {
            throw new SettingsException(directory.file(NAME) + " could not be closed (" + e + "); nothing was lost", e);
        }
    }
}
