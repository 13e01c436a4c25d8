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
 * Settings in one file of a directory, for the memory store.
 *
 * <ul>
 *   <li>{@code settings.json}: the settings, see {@link JsonSettingsFormat}. Each change writes a new file, syncs it,
 *       renames it over the old one atomically and syncs the directory before the change is acknowledged. So after a
 *       crash the file is the old or the new one, never a mixture.
 *   <li>{@code settings-audit.jsonl}: each change with its author and time; full files of 1 MiB move to {@code .1} …
 *       {@code .4}. Each line contains the hash of the line before, which {@link #auditFault()} and every opening
 *       verify.
 *   <li>{@code settings.lock}: excludes a second process.
 * </ul>
 *
 * <p>A file that is torn, foreign, edited by hand or of a newer format is an error when opened, and is never written
 * to. A change that fails (full disk, directory not writable) leaves everything as it was, on disk and in memory; a
 * later change may succeed. Files are readable by their owner only. Safe for use by any number of threads.
 */
public final class FileSettings extends KnownSettings {
    /*
     * How one change becomes durable. All of it runs `alone`, under the lock of KnownSettings, so there is one change
     * at a time.
     *
     * 1. Append the audit line and sync the audit file (AuditLog.append).
     * 2. Write settings.json.tmp, sync it, and rename it to settings.json (DataDirectory.replace).
     * 3. Sync the directory. From here on the change survives a crash.
     * 4. Replace the snapshot in memory and notify the listeners (super.make).
     *
     * What a crash or a failure leaves:
     *
     *   after 1   the audit has one line beyond the version of the settings; the next opening cuts it off
     *   in 2      settings.json is the old file; the temporary file is deleted at the next opening
     *   after 2   settings.json is the old or the new file; a line that is too new for it is cut off as above
     *   failed    in 1 or 2: the audit line is removed (AuditLog.takeBack), and everything is as before
     *   failed    in 3: unknown which version a crash would leave. `inDoubt` is set, and every later change is
     *             rejected until a restart reads the disk again. Memory keeps the old settings.
     *
     * So the order of audit and settings guarantees: no change is in force without an audit line, and no audit line
     * stays for a change that was not made. Reads of the current settings never touch the disk.
     */
    static final String NAME = "settings.json";

    private static final Logger LOG = System.getLogger(Settings.class.getName());

    private static final JsonSettingsFormat FORMAT = new JsonSettingsFormat();
    private static final long MAX_BYTES = 16L << 20;
    private static final long MAX_AUDIT_BYTES = 1L << 20;

    private final DataDirectory directory;
    private final AuditLog log;
    /** Changed, like the files, only under the lock of {@link #alone}. */
    private boolean closed;
    /** Whether a sync failed, so that it is unknown which of two versions a crash would leave. */
    private boolean inDoubt;

    private FileSettings(DataDirectory directory, SettingsSnapshot snapshot, long maxAuditBytes) throws IOException {
        super(snapshot);
        this.directory = directory;
        this.log = AuditLog.open(directory, snapshot.version(), maxAuditBytes, this::remember);
    }

    /**
     * Opens the settings of a directory; creates the directory if necessary.
     *
     * @throws SettingsException if the settings are in use, unreadable or damaged; the message names the file and the
     *     remedy
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
            throw new SettingsException(directory.file(NAME)
                    + " could not be synced earlier, so a crash may lose the last change; check the disk and restart");
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

    /**
     * Writes the audit line, then the settings, each durable before the next step: no change is made without an audit
     * line.
     */
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
                            + "); this process continues with the previous settings, check the disk and restart",
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
