package dev.weir.store.raft;

import dev.weir.store.raft.BytesIn.MalformedException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The journal in a directory of its own.
 *
 * <ul>
 *   <li>{@code vote}: the term, the vote, whether the node trusts itself, and which run of the machine it is. Replaced as
 *       a whole.
 *   <li>{@code log}: entries with their checksums. Written before anybody is told, so that the death of the process loses
 *       nothing; synced for entries that ask for it. A torn end is what nobody was told of, and is cut off.
 *   <li>{@code snapshot}: what the beginning of the log made. Replaced as a whole and synced; then the log is begun anew
 *       with what follows.
 *   <li>{@code lock}: keeps a second process out.
 * </ul>
 *
 * <p>After a crash of the machine the end of the log may be lost although others were told that it is there. So a
 * directory that was not closed properly in an earlier run of the machine is not trusted: see {@link Recovery}.
 */
public final class FileJournal extends Journal {
    private static final Logger LOG = System.getLogger(FileJournal.class.getName());
    private static final int FORMAT = 1;
    private static final int LARGEST_RECORD = 64 << 20;
    private static final String BOOT_ID = boot();

    private final Path directory;
    private final FileChannel lock;
    private final BytesOut buffer = new BytesOut(1 << 16);
    private FileChannel log;
    private boolean closedProperly;

    private FileJournal(Path directory, FileChannel lock) throws IOException {
        this.directory = directory;
        this.lock = lock;
        readVote();
        readSnapshotHead();
        this.log = openLog();
        ownWallMillis(Files.getLastModifiedTime(directory.resolve("log")).toMillis());
        readLog();
        closedProperly = false;
        keepVote(true);
    }

    /**
     * Opens a directory, making it if need be.
     *
     * @throws IOException if it cannot be used; the message says why
     */
    public static FileJournal open(Path directory) throws IOException {
        FileChannel lock;
        try {
            Files.createDirectories(directory);
            lock = FileChannel.open(directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw new IOException("it cannot write to the directory " + directory + " (" + e + ")", e);
        }
        try {
            FileLock held = lock.tryLock();
            if (held == null) {
                throw new IOException(directory + " is in use by another process; give every node its own");
            }
            return new FileJournal(directory, lock);
        } catch (OverlappingFileLockException e) {
            lock.close();
            throw new IOException(directory + " is in use by this process; give every node its own", e);
        } catch (IOException | MalformedException e) {
            lock.close();
            throw e instanceof IOException io ? io : new IOException(directory + " is damaged: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        try {
            log.force(true);
            closedProperly = true;
            keepVote(true);
            log.close();
            lock.close();
        } catch (IOException e) {
            LOG.log(Level.WARNING, directory + " could not be closed properly", e);
        }
    }

    // ---- the vote -----------------------------------------------------------------------------------------------

    /**
     * Not synced, but for the first and the last time: the death of the process loses nothing that was written, and after
     * that of the machine the node does not trust itself anyhow.
     */
    @Override
    void keepVote() {
        keepVote(BOOT_ID.isEmpty());
    }

    private void keepVote(boolean synced) {
        BytesOut out = new BytesOut();
        out.u8(FORMAT);
        out.number(term());
        out.signed(vote());
        out.flag(isTrusted());
        out.flag(closedProperly);
        out.text(BOOT_ID);
        replace("vote", out.toBytes(), new byte[0], synced);
    }

    private void readVote() throws IOException {
        byte[] content = read("vote");
        if (content == null || content.length == 0) {
            return;
        }
        BytesIn in = new BytesIn(content);
        if (in.u8() != FORMAT) {
            throw new IOException(directory + " is of another format; use the version of Weir that wrote it");
        }
        long term = in.number();
        int vote = (int) in.signed();
        boolean wasTrusted = in.flag();
        boolean wasClosed = in.flag();
        boolean sameRun = in.text().equals(BOOT_ID);
        restore(term, vote, wasTrusted && (wasClosed || sameRun));
    }

    /** Which run of the machine this is; empty where nobody can tell, and then every vote is synced. */
    private static String boot() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/random/boot_id"))
                    .strip()
                    .toLowerCase(Locale.ROOT);
        } catch (IOException e) {
            return "";
        }
    }

    // ---- the log ------------------------------------------------------------------------------------------------

    @Override
    void keepEntries(List<Entry> more) {
        buffer.clear();
        boolean durable = false;
        for (Entry entry : more) {
            record(entry);
            durable |= entry.durable();
        }
        try {
            writeAll(log, buffer);
            if (durable) {
                log.force(false);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(directory + " cannot be written", e);
        }
    }

    /** Later entries in the same place stand for earlier ones: nothing is cut out of the file. */
    @Override
    void keepTruncation(long from) {}

    private void record(Entry entry) {
        int begin = buffer.size();
        buffer.i32(0);
        buffer.i32(0);
        entry.write(buffer);
        int length = buffer.size() - begin - 8;
        CRC32C checksum = new CRC32C();
        checksum.update(buffer.array(), begin + 8, length);
        buffer.patch(begin, length);
        buffer.patch(begin + 4, (int) checksum.getValue());
    }

    private FileChannel openLog() throws IOException {
        return FileChannel.open(
                directory.resolve("log"), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    private void readLog() throws IOException {
        long at = 0;
        long size = log.size();
        ByteBuffer head = ByteBuffer.allocate(8);
        while (at + 8 <= size) {
            head.clear();
            readFully(log, head, at);
            int length = head.getInt(0);
            if (length < 1 || length > LARGEST_RECORD || at + 8 + length > size) {
                break;
            }
            ByteBuffer body = ByteBuffer.allocate(length);
            readFully(log, body, at + 8);
            CRC32C checksum = new CRC32C();
            checksum.update(body.array());
            if ((int) checksum.getValue() != head.getInt(4) || !restoreEntry(Entry.read(new BytesIn(body.array())))) {
                break;
            }
            at += 8 + length;
        }
        if (at < size) {
            LOG.log(Level.INFO, "{0}: the last {1} bytes of the log are torn and were cut off", directory, size - at);
            log.truncate(at);
        }
        log.position(at);
    }

    // ---- snapshots ----------------------------------------------------------------------------------------------

    @Override
    void keepSnapshot(byte[] newSnapshot) {
        BytesOut head = new BytesOut();
        head.u8(FORMAT);
        head.i64(snapshotIndex());
        head.i64(snapshotTerm());
        head.i64(snapshotMicros());
        CRC32C checksum = new CRC32C();
        checksum.update(newSnapshot);
        head.i32((int) checksum.getValue());
        replace("snapshot", head.toBytes(), newSnapshot, true);
        beginLog();
    }

    private static final int SNAPSHOT_HEAD = 29;

    private void readSnapshotHead() throws IOException {
        byte[] content = read("snapshot");
        if (content == null) {
            return;
        }
        BytesIn in = new BytesIn(content);
        if (in.u8() != FORMAT) {
            throw new IOException(directory + " is of another format; use the version of Weir that wrote it");
        }
        long index = in.i64();
        long term = in.i64();
        long micros = in.i64();
        int expected = in.i32();
        CRC32C checksum = new CRC32C();
        checksum.update(content, SNAPSHOT_HEAD, content.length - SNAPSHOT_HEAD);
        if ((int) checksum.getValue() != expected) {
            throw new IOException(
                    directory.resolve("snapshot")
                            + " does not match its checksum; empty the directory, and the node learns everything from the others");
        }
        restoreSnapshot(index, term, micros);
    }

    @Override
    byte @Nullable [] snapshot() {
        try {
            byte[] content = read("snapshot");
            return content == null ? null : Arrays.copyOfRange(content, SNAPSHOT_HEAD, content.length);
        } catch (IOException e) {
            throw new UncheckedIOException(directory + " cannot be read", e);
        }
    }

    /** A new log with what the snapshot does not stand for; until it is in place the old one does as well. */
    private void beginLog() {
        buffer.clear();
        for (long i = Math.max(first(), snapshotIndex() + 1); i <= lastIndex(); i++) {
            record(entry(i));
        }
        try {
            replace("log", buffer.toBytes(), new byte[0], true);
            FileChannel old = log;
            log = openLog();
            log.position(log.size());
            old.close();
        } catch (IOException e) {
            throw new UncheckedIOException(directory + " cannot be written", e);
        }
    }

    // ---- files --------------------------------------------------------------------------------------------------

    private void replace(String name, byte[] head, byte[] content, boolean synced) {
        Path next = directory.resolve(name + ".next");
        try {
            try (FileChannel channel = FileChannel.open(
                    next, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
                writeAll(channel, ByteBuffer.wrap(head));
                writeAll(channel, ByteBuffer.wrap(content));
                if (synced) {
                    channel.force(true);
                }
            }
            Files.move(
                    next, directory.resolve(name), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(directory + " cannot be written", e);
        }
    }

    private byte @Nullable [] read(String name) throws IOException {
        try {
            return Files.readAllBytes(directory.resolve(name));
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    private static void writeAll(FileChannel channel, BytesOut bytes) throws IOException {
        writeAll(channel, ByteBuffer.wrap(bytes.array(), 0, bytes.size()));
    }

    private static void writeAll(FileChannel channel, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    private static void readFully(FileChannel channel, ByteBuffer into, long from) throws IOException {
        while (into.hasRemaining()) {
            if (channel.read(into, from + into.position()) < 0) {
                throw new IOException("the log ended while it was read");
            }
        }
    }
}
