package dev.weir.engine.settings;

import dev.weir.spi.settings.SettingsException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A directory that one process owns while it is open, and whose files are replaced atomically.
 *
 * <p>The lock is the operating system's, so it ends with the process, even after a crash. On POSIX systems closing
 * <em>any</em> channel on a file releases the process's lock on it. That is why a second opening within this process is
 * detected before the lock file is touched.
 */
final class DataDirectory implements AutoCloseable {
    /** The directories that this process has open. */
    private static final Set<Path> OPEN = ConcurrentHashMap.newKeySet();

    private static final boolean POSIX =
            !System.getProperty("os.name", "").toLowerCase(Locale.ROOT).startsWith("windows");

    private final Path path;
    private final FileChannel lock;

    private DataDirectory(Path path, FileChannel lock) {
        this.path = path;
        this.lock = lock;
    }

    /**
     * Opens a directory; creates it if necessary.
     *
     * @throws SettingsException if it is already open, in this or in another process
     */
    static DataDirectory open(Path directory) throws IOException {
        create(directory.toAbsolutePath());
        Path path = directory.toRealPath();
        if (!OPEN.add(path)) {
            throw inUse(path, "by this process");
        }
        FileChannel channel = null;
        try {
            channel = openPrivate(
                    path.resolve("settings.lock"),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE);
            FileLock held = channel.tryLock();
            if (held == null) {
                throw inUse(path, holder(channel));
            }
            String pid = Long.toString(ProcessHandle.current().pid());
            writeAll(channel.truncate(0), pid.getBytes(StandardCharsets.US_ASCII));
            return new DataDirectory(path, channel);
        } catch (IOException | RuntimeException e) {
            if (channel != null) {
                channel.close();
            }
            OPEN.remove(path);
            throw e;
        }
    }

    Path file(String name) {
        return path.resolve(name);
    }

    /** The bytes of a file; null if there is no such file. */
    static byte @Nullable [] read(Path file, long maxBytes) throws IOException {
        try {
            long size = Files.size(file);
            if (size > maxBytes) {
                throw new SettingsException(file + " has " + size + " bytes and settings have at most " + maxBytes
                        + "; it is not a settings file of Weir, move it away");
            }
            return Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /**
     * Replaces the content of a file atomically; the new content is synced first. The caller must still call {@link
     * #sync}. A failure leaves the old content.
     */
    void replace(String name, byte[] content) throws IOException {
        Path next = temporary(name);
        try {
            try (FileChannel channel = openPrivate(
                    next, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
                writeAll(channel, content);
                channel.force(true);
            }
            Files.move(next, file(name), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            discard(name);
            throw e;
        }
    }

    /** Removes what a crash or a failure left half-written; none of it was acknowledged. */
    void discard(String name) {
        try {
            Files.deleteIfExists(temporary(name));
        } catch (IOException e) {
            // The next attempt overwrites it, or reports why it cannot.
        }
    }

    /** Makes the directory's entries durable; on Windows they already are. */
    void sync() throws IOException {
        sync(path);
    }

    static FileChannel openPrivate(Path file, OpenOption... options) throws IOException {
        Set<OpenOption> all = new HashSet<>(Set.of(options));
        all.add(LinkOption.NOFOLLOW_LINKS);
        return FileChannel.open(file, all, permissions("rw-------"));
    }

    static void writeAll(FileChannel channel, byte[] bytes) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
    }

    @Override
    public void close() throws IOException {
        try {
            lock.close();
        } finally {
            OPEN.remove(path);
        }
    }

    private Path temporary(String name) {
        return file(name + ".tmp");
    }

    private static void create(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            Files.createDirectories(directory, permissions("rwx------"));
            Path parent = directory.getParent();
            if (parent != null) {
                sync(parent);
            }
        }
    }

    private static void sync(Path directory) throws IOException {
        if (POSIX) {
            try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
                channel.force(true);
            }
        }
    }

    /** Access for the owner only: settings may contain names of people. */
    private static FileAttribute<?>[] permissions(String text) {
        return POSIX
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(text))}
                : new FileAttribute<?>[0];
    }

    private static SettingsException inUse(Path path, String by) {
        return new SettingsException(path + " is in use " + by + "; stop that one first, or choose another directory");
    }

    private static String holder(FileChannel channel) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(20);
        channel.read(buffer, 0);
        String pid = new String(buffer.array(), 0, buffer.position(), StandardCharsets.US_ASCII);
        return pid.matches("[0-9]+") ? "by process " + pid : "by another process";
    }
}
