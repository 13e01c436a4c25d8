package dev.weir.store.consensus;

import com.alipay.sofa.jraft.conf.Configuration;
import com.alipay.sofa.jraft.conf.ConfigurationEntry;
import com.alipay.sofa.jraft.conf.ConfigurationManager;
import com.alipay.sofa.jraft.entity.EnumOutter.EntryType;
import com.alipay.sofa.jraft.entity.LogEntry;
import com.alipay.sofa.jraft.entity.codec.LogEntryDecoder;
import com.alipay.sofa.jraft.entity.codec.LogEntryEncoder;
import com.alipay.sofa.jraft.option.LogStorageOptions;
import com.alipay.sofa.jraft.storage.LogStorage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * JRaft's log in files and in memory. Snapshots bound its length.
 *
 * <p>The log is a sequence of segments. A segment is a file named by the index of its first entry; a record in it is a
 * length, a checksum and an entry as JRaft encodes it. Entries are appended to the last segment until it has
 * {@link #SEGMENT_BYTES}. Removing old entries deletes whole files and rewrites none, so after a restart the log may begin
 * a little earlier. With {@code sync} every append is synced before it returns; without, only entries that ask for it.
 *
 * <p>Calls that change the log hold the monitor of this object, also while they sync. Calls that read it hold only the
 * monitor of the list of entries: a leader reads the entry before a new one in order to send that one, and must not wait
 * until its own disk has the new one.
 *
 * <p>At start a record that ends the last segment incompletely is removed, because no append of it has returned. Any
 * other damage stops the start: removing the records behind it would lose acknowledged entries. After a failed write
 * nothing is appended any more.
 */
final class FileLogStorage implements LogStorage {
    private static final Logger LOG = System.getLogger(FileLogStorage.class.getName());
    private static final int SEGMENT_BYTES = 8 << 20;
    private static final int HEAD = 8;

    private final Path directory;
    private final boolean sync;
    private final List<Segment> segments = new ArrayList<>();
    /** Changed with both monitors, this object's and its own; so is {@link #first}. */
    private final List<Stored> entries = new ArrayList<>();

    private LogEntryEncoder encoder;
    private LogEntryDecoder decoder;
    private long first = 1;
    private @Nullable FileChannel channel;
    private volatile @Nullable String failure;

    private record Segment(long first, Path file) {}

    /** @param offset its position in its segment */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    private record Stored(byte[] bytes, long offset) {}

    @SuppressWarnings("NullAway.Init") // JRaft calls init before anything else.
    FileLogStorage(Path directory, boolean sync) {
        this.directory = directory;
        this.sync = sync;
    }

    /** Why nothing is appended any more; null if it is. */
    @Nullable
    String failure() {
        return failure;
    }

    @Override
    public synchronized boolean init(LogStorageOptions options) {
        encoder = options.getLogEntryCodecFactory().encoder();
        decoder = options.getLogEntryCodecFactory().decoder();
        try {
            Files.createDirectories(directory);
            load();
            loadConfigurations(options.getConfigurationManager());
            return true;
        } catch (IOException e) {
            fail(e);
            return false;
        }
    }

    private void fail(IOException e) {
        failure = "its log in " + directory + " cannot be used: " + e.getMessage();
        LOG.log(Level.ERROR, "this node stops taking part: {0}", failure);
    }

    private void load() throws IOException {
        List<Path> files;
        try (Stream<Path> listed = Files.list(directory)) {
            files = listed.filter(file -> file.toString().endsWith(".log"))
                    .sorted()
                    .toList();
        }
        for (Path file : files) {
            long from = Long.parseLong(file.getFileName().toString().replace(".log", ""));
            if (segments.isEmpty()) {
                first = from;
            } else if (from != first + entries.size()) {
                throw damaged(file, "entries before it are missing");
            }
            segments.add(new Segment(from, file));
            read(file, file.equals(files.get(files.size() - 1)));
        }
        if (!segments.isEmpty()) {
            open(segments.get(segments.size() - 1).file);
        }
    }

    private static IOException damaged(Path file, String how) {
        return new IOException(file + " is damaged (" + how
                + "); empty the node's directory, and it loads everything from the other nodes before it counts");
    }

    private void read(Path file, boolean isLast) throws IOException {
        ByteBuffer all = ByteBuffer.wrap(Files.readAllBytes(file));
        while (all.hasRemaining()) {
            int at = all.position();
            int length = all.remaining() < HEAD ? -1 : all.getInt();
            int sum = length < 0 ? 0 : all.getInt();
            if (length >= 0 && length <= all.remaining()) {
                byte[] record = new byte[length];
                all.get(record);
                if (sum(record) == sum) {
                    entries.add(new Stored(record, at));
                    continue;
                }
                if (all.hasRemaining()) {
                    throw damaged(file, "a checksum does not match at byte " + at);
                }
            }
            if (!isLast) {
                throw damaged(file, "it ends early");
            }
            LOG.log(Level.WARNING, "{0}: removed an incomplete record at byte {1}", file, at);
            try (FileChannel cut = FileChannel.open(file, StandardOpenOption.WRITE)) {
                cut.truncate(at);
                cut.force(true);
            }
            return;
        }
    }

    private void loadConfigurations(@Nullable ConfigurationManager manager) {
        for (Stored stored : entries) {
            LogEntry entry = decoder.decode(stored.bytes);
            if (entry.getType() == EntryType.ENTRY_TYPE_CONFIGURATION && manager != null) {
                ConfigurationEntry made = new ConfigurationEntry();
                made.setId(entry.getId().copy());
                made.setConf(new Configuration(entry.getPeers(), entry.getLearners()));
                if (entry.getOldPeers() != null) {
                    made.setOldConf(new Configuration(entry.getOldPeers(), entry.getOldLearners()));
                }
                manager.add(made);
            }
        }
    }

    private static int sum(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, bytes.length);
        return (int) crc.getValue();
    }

    private FileChannel open(Path file) throws IOException {
        closeChannel();
        FileChannel opened = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        opened.position(opened.size());
        channel = opened;
        return opened;
    }

    private void closeChannel() throws IOException {
        FileChannel former = channel;
        if (former != null) {
            if (former.isOpen()) {
                former.force(true);
            }
            former.close();
            channel = null;
        }
    }

    private FileChannel beginSegment() throws IOException {
        long from = first + entries.size();
        Path file = directory.resolve(String.format(Locale.ROOT, "%019d.log", from));
        Files.deleteIfExists(file);
        FileChannel opened = open(file);
        segments.add(new Segment(from, file));
        NodeDirectory.sync(directory);
        return opened;
    }

    @Override
    public synchronized void shutdown() {
        try {
            closeChannel();
        } catch (IOException e) {
            LOG.log(Level.WARNING, directory + " could not be closed", e);
        }
    }

    @Override
    public long getFirstLogIndex() {
        synchronized (entries) {
            return first;
        }
    }

    @Override
    public long getLastLogIndex() {
        synchronized (entries) {
            return entries.isEmpty() ? 0 : first + entries.size() - 1;
        }
    }

    @Override
    public @Nullable LogEntry getEntry(long index) {
        byte[] bytes;
        synchronized (entries) {
            long at = index - first;
            if (at < 0 || at >= entries.size()) {
                return null;
            }
            bytes = entries.get((int) at).bytes;
        }
        return decoder.decode(bytes);
    }

    @SuppressWarnings("deprecation") // JRaft still calls it.
    @Override
    public long getTerm(long index) {
        LogEntry entry = getEntry(index);
        return entry == null ? 0 : entry.getId().getTerm();
    }

    @Override
    public boolean appendEntry(LogEntry entry) {
        return appendEntries(List.of(entry)) == 1;
    }

    @Override
    public synchronized int appendEntries(List<LogEntry> added) {
        if (added.isEmpty() || failure != null) {
            return 0;
        }
        try {
            long index = added.get(0).getId().getIndex();
            if (entries.isEmpty() && index != first) {
                // A snapshot stands for everything before it.
                clear(index);
            } else if (index < first || index > first + entries.size()) {
                throw new IOException("entry " + index + " does not follow " + getLastLogIndex());
            } else if (index < first + entries.size()) {
                cut(index - 1);
            }
            append(added);
            return added.size();
        } catch (IOException e) {
            fail(e);
            return 0;
        }
    }

    private void append(List<LogEntry> added) throws IOException {
        FileChannel to = channel;
        if (to == null || to.position() > SEGMENT_BYTES) {
            to = beginSegment();
        }
        boolean isSynced = sync;
        long at = to.position();
        int size = 0;
        List<Stored> stored = new ArrayList<>(added.size());
        for (LogEntry entry : added) {
            isSynced |= entry.getType() != EntryType.ENTRY_TYPE_DATA || JRaftStateMachine.isDurable(entry.getData());
            byte[] bytes = encoder.encode(entry);
            stored.add(new Stored(bytes, at + size));
            size += bytes.length + HEAD;
        }
        ByteBuffer out = ByteBuffer.allocate(size);
        stored.forEach(
                one -> out.putInt(one.bytes.length).putInt(sum(one.bytes)).put(one.bytes));
        out.flip();
        while (out.hasRemaining()) {
            to.write(out);
        }
        if (isSynced) {
            to.force(false);
        }
        synchronized (entries) {
            entries.addAll(stored);
        }
    }

    @Override
    public synchronized boolean truncatePrefix(long firstKept) {
        try {
            if (firstKept >= first + entries.size()) {
                clear(firstKept);
                return true;
            }
            while (segments.size() > 1 && segments.get(1).first <= firstKept) {
                Files.deleteIfExists(segments.remove(0).file);
            }
            if (firstKept > first) {
                synchronized (entries) {
                    entries.subList(0, (int) (firstKept - first)).clear();
                    first = firstKept;
                }
            }
            return true;
        } catch (IOException e) {
            fail(e);
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public synchronized boolean truncateSuffix(long lastKept) {
        try {
            cut(lastKept);
            return true;
        } catch (IOException e) {
            fail(e);
            throw new UncheckedIOException(e);
        }
    }

    private void cut(long lastKept) throws IOException {
        int kept = (int) Math.max(0, lastKept - first + 1);
        if (kept >= entries.size()) {
            return;
        }
        closeChannel();
        while (!segments.isEmpty() && segments.get(segments.size() - 1).first > lastKept) {
            Files.deleteIfExists(segments.remove(segments.size() - 1).file);
        }
        long offset = entries.get(kept).offset;
        synchronized (entries) {
            entries.subList(kept, entries.size()).clear();
        }
        if (!segments.isEmpty()) {
            FileChannel last = open(segments.get(segments.size() - 1).file);
            // The entry behind the last one kept is in this segment, unless it began one that is deleted.
            if (offset > 0) {
                last.truncate(offset);
                last.position(offset);
            }
            last.force(true);
        }
        NodeDirectory.sync(directory);
    }

    @Override
    public synchronized boolean reset(long nextIndex) {
        try {
            LogEntry known = getEntry(nextIndex);
            clear(nextIndex);
            if (known != null) {
                append(List.of(known));
            }
            return true;
        } catch (IOException e) {
            fail(e);
            throw new UncheckedIOException(e);
        }
    }

    /** Removes everything, newest first, so that a crash leaves no gap. */
    private void clear(long next) throws IOException {
        closeChannel();
        while (!segments.isEmpty()) {
            Files.deleteIfExists(segments.remove(segments.size() - 1).file);
        }
        synchronized (entries) {
            entries.clear();
            first = next;
        }
        NodeDirectory.sync(directory);
    }
}
