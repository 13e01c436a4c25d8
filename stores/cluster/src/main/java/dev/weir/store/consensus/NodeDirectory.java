package dev.weir.store.consensus;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The directory of a node, and what it says about the node's memory.
 *
 * <p>The file {@code member} exists once this node has promised anything to others: since it helped to found the cluster,
 * or since it had caught up. It says how the node ran: whether votes and entries were synced, in which boot of the
 * machine, and whether it was closed.
 */
final class NodeDirectory implements AutoCloseable {
    private static final Logger LOG = System.getLogger(NodeDirectory.class.getName());
    private static final String FORMAT = "weir-jraft-1";

    private static final int BYTES_PER_SYNC = 4 << 20;
    private static final int LENGTH_BYTES = 5;

    private final Path path;
    private final boolean sync;
    private final boolean isTemporary;
    private final FileChannel lock;

    /** What a node remembers of its promises at its start. */
    enum PromiseState {
        /** Nothing: it is new, or its directory was emptied. */
        NONE,
        /** Everything. */
        ALL,
        /** Perhaps not the latest: it did not sync, and its machine crashed. */
        UNCERTAIN
    }

    private NodeDirectory(Path path, boolean sync, boolean isTemporary, FileChannel lock) {
        this.path = path;
        this.sync = sync;
        this.isTemporary = isTemporary;
        this.lock = lock;
    }

    /** @throws IOException if it cannot be written, is in use, or is of an earlier build; the message says what to do */
    static NodeDirectory open(@Nullable Path data, boolean sync) throws IOException {
        Path path = data == null ? Files.createTempDirectory("weir-cluster") : data;
        if (Files.exists(path.resolve("vote")) || Files.isRegularFile(path.resolve("log"))) {
            throw new IOException(path + " has the journal of an earlier build of Weir, which this one cannot read."
                    + " Stop all nodes, empty this directory on each, and start them: budgets begin full, and overrides and"
                    + " exemptions have to be set again. To keep them, go on with the earlier build");
        }
        FileChannel lock;
        try {
            Files.createDirectories(path);
            lock = FileChannel.open(path.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw new IOException("it cannot write to the directory " + path + " (" + e + ")", e);
        }
        try {
            if (lock.tryLock() == null) {
                throw new IOException(path + " is in use by another process; give every node its own");
            }
        } catch (OverlappingFileLockException e) {
            lock.close();
            throw new IOException(path + " is in use by this process; give every node its own", e);
        } catch (IOException e) {
            lock.close();
            throw e;
        }
        return new NodeDirectory(path, sync, data == null, lock);
    }

    Path path(String name) {
        return path.resolve(name);
    }

    PromiseState memory() throws IOException {
        if (!Files.exists(path("member"))) {
            return PromiseState.NONE;
        }
        List<String> lines = Files.readAllLines(path("member"));
        if (lines.size() < 4 || !lines.get(0).equals(FORMAT)) {
            throw new IOException(
                    path("member") + " is of another version of Weir or damaged; use that version, or empty"
                            + " the directory, and this node loads everything from the others");
        }
        boolean isCertain = lines.get(1).equals("synced")
                || lines.get(3).equals("closed")
                || (!lines.get(2).isEmpty() && lines.get(2).equals(bootId()));
        return isCertain ? PromiseState.ALL : PromiseState.UNCERTAIN;
    }

    private static String bootId() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).trim();
        } catch (IOException e) {
            return "";
        }
    }

    /** Records that this node keeps its promises from now on. */
    void writeMember(boolean isClosed) throws IOException {
        write(
                "member",
                FORMAT + "\n" + (sync ? "synced" : "unsynced") + "\n" + bootId() + "\n" + (isClosed ? "closed" : "open")
                        + "\n",
                true);
    }

    /** Records the cluster's time with this machine's wall clock. */
    void writeTime(long micros, long wallMillis) throws IOException {
        write("time", micros + " " + wallMillis, false);
    }

    /** Returns the cluster's time, advanced by the wall clock since it was recorded; -1 if it was not. */
    long readTime(long wallMillis) {
        try {
            String[] words = Files.readString(path("time")).split(" ", -1);
            return Long.parseLong(words[0]) + 1_000 * Math.max(0, wallMillis - Long.parseLong(words[1]));
        } catch (IOException | RuntimeException e) {
            return -1;
        }
    }

    private void write(String name, String content, boolean isSynced) throws IOException {
        Path next = path(name + ".next");
        try (FileChannel out = FileChannel.open(
                next, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            ByteBuffer bytes = ByteBuffer.wrap(content.getBytes(StandardCharsets.US_ASCII));
            while (bytes.hasRemaining()) {
                out.write(bytes);
            }
            if (isSynced) {
                out.force(true);
            }
        }
        Files.move(next, path(name), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        if (isSynced) {
            sync(path);
        }
    }

    /**
     * Writes a snapshot: the cluster's time, then the length of the state, then the state. Returns that length. Syncs the
     * file after every few megabytes: one sync of a large file would keep the syncs of the log waiting until it ends.
     */
    static long writeSnapshot(Path file, long micros, Consensus.Encoder state) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            BytesOut head = new BytesOut();
            head.number(micros);
            int lengthAt = head.size();
            head.raw(new byte[LENGTH_BYTES], 0, LENGTH_BYTES);
            OutputStream out = new SyncingOutput(channel);
            out.write(head.array(), 0, head.size());
            state.encode(out);
            long length = channel.position() - head.size();
            // As BytesIn reads a number, in a fixed number of bytes.
            ByteBuffer bytes = ByteBuffer.allocate(LENGTH_BYTES);
            for (int i = 0; i < LENGTH_BYTES; i++) {
                bytes.put((byte) ((length >>> (7 * i) & 0x7F) | (i < LENGTH_BYTES - 1 ? 0x80 : 0)));
            }
            bytes.flip();
            while (bytes.hasRemaining()) {
                int unused = channel.write(bytes, lengthAt + bytes.position());
            }
            channel.force(true);
            return length;
        }
    }

    /** Writes to a file and syncs it after every few megabytes. */
    private static final class SyncingOutput extends OutputStream {
        private final FileChannel channel;
        private long syncedTo;

        SyncingOutput(FileChannel channel) {
            this.channel = channel;
        }

        @Override
        public void write(int value) throws IOException {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            ByteBuffer all = ByteBuffer.wrap(bytes, from, length);
            while (all.hasRemaining()) {
                int unused = channel.write(all);
            }
            if (channel.position() - syncedTo >= BYTES_PER_SYNC) {
                channel.force(true);
                syncedTo = channel.position();
            }
        }
    }

    /** Syncs a directory or a file, so that a crash of the machine does not undo what was done to it. */
    static void sync(Path path) throws IOException {
        try (FileChannel opened = FileChannel.open(path, StandardOpenOption.READ)) {
            opened.force(true);
        } catch (IOException e) {
            if (!Files.isDirectory(path)) {
                throw e;
            }
            // Not every system can sync a directory.
        }
    }

    /** Removes everything but the lock. */
    void empty() throws IOException {
        for (Path file : all()) {
            if (!file.equals(path) && !file.equals(path("lock"))) {
                Files.delete(file);
            }
        }
    }

    private List<Path> all() throws IOException {
        try (Stream<Path> files = Files.walk(path)) {
            return files.sorted(Comparator.reverseOrder()).toList();
        }
    }

    /** Syncs all files and records that this node was closed. */
    void closeProperly() {
        try {
            for (Path file : all()) {
                sync(file);
            }
            if (Files.exists(path("member"))) {
                writeMember(true);
            }
        } catch (IOException e) {
            LOG.log(Level.WARNING, path + " could not be closed properly", e);
        }
    }

    @Override
    public void close() {
        try {
            if (isTemporary) {
                empty();
            }
            lock.close();
            if (isTemporary) {
                Files.deleteIfExists(path("lock"));
                Files.deleteIfExists(path);
            }
        } catch (IOException e) {
            LOG.log(Level.DEBUG, path + " could not be closed", e);
        }
    }
}
