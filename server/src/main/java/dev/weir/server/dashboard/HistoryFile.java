package dev.weir.server.dashboard;

import dev.weir.server.WeirServer;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The file with what the dashboard has recorded, replaced atomically. A file that cannot be read or written is logged,
 * and never keeps the server from running. Only the owner may read it, because events name subjects.
 */
final class HistoryFile {
    static final String NAME = "dashboard-history.gz";
    private static final Logger LOG = System.getLogger(WeirServer.class.getName());
    /** More than the largest file: 8 MB of series, hardly compressed. */
    private static final long MOST_BYTES = 32L * 1024 * 1024;

    private final Path file;
    /** Whether the last write failed, so that a full disk is logged once. */
    private boolean isFailing;

    HistoryFile(Path directory) {
        this.file = directory.resolve(NAME);
    }

    /** Returns what the file has; null if there is none, or it cannot be used. */
    @Nullable
    SavedHistory read() {
        try {
            if (Files.size(file) > MOST_BYTES) {
                throw new IOException("it has more than " + MOST_BYTES + " bytes");
            }
            return SavedHistory.read(Files.readAllBytes(file));
        } catch (NoSuchFileException e) {
            return null;
        } catch (IOException | RuntimeException e) {
            LOG.log(
                    Level.WARNING,
                    "the dashboard's history starts anew, because " + file + " cannot be used: " + e.getMessage());
            return null;
        }
    }

    synchronized void write(SavedHistory history) {
        Path next = file.resolveSibling(NAME + ".tmp");
        try {
            Files.deleteIfExists(next);
            try (FileChannel channel = FileChannel.open(
                    next, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), ownerOnly())) {
                ByteBuffer bytes = ByteBuffer.wrap(history.bytes());
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
                channel.force(true);
            }
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            isFailing = false;
        } catch (ClosedByInterruptException e) {
            // The server is closing; it writes once more.
        } catch (IOException e) {
            if (!isFailing) {
                LOG.log(Level.WARNING, "the dashboard's history cannot be written to " + file + ": " + e);
            }
            isFailing = true;
        }
    }

    private static FileAttribute<?>[] ownerOnly() {
        return FileSystems.getDefault().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
                }
                : new FileAttribute<?>[0];
    }
}
