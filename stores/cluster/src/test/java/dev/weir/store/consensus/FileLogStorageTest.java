package dev.weir.store.consensus;

import static org.assertj.core.api.Assertions.assertThat;

import com.alipay.sofa.jraft.conf.ConfigurationManager;
import com.alipay.sofa.jraft.entity.EnumOutter.EntryType;
import com.alipay.sofa.jraft.entity.LogEntry;
import com.alipay.sofa.jraft.entity.LogId;
import com.alipay.sofa.jraft.entity.codec.v2.LogEntryV2CodecFactory;
import com.alipay.sofa.jraft.option.LogStorageOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileLogStorageTest {
    /** Three of these fill a segment. */
    private static final int LARGE = 3 << 20;

    @TempDir
    Path directory;

    private FileLogStorage open() {
        FileLogStorage storage = new FileLogStorage(directory, true);
        storage.init(options());
        return storage;
    }

    private static LogStorageOptions options() {
        LogStorageOptions options = new LogStorageOptions();
        options.setConfigurationManager(new ConfigurationManager());
        options.setLogEntryCodecFactory(LogEntryV2CodecFactory.getInstance());
        return options;
    }

    private FileLogStorage reopen(FileLogStorage storage) {
        storage.shutdown();
        return open();
    }

    private static LogEntry entry(long index, long term, int size) {
        LogEntry entry = new LogEntry(EntryType.ENTRY_TYPE_DATA);
        entry.setId(new LogId(index, term));
        entry.setData(ByteBuffer.wrap(new byte[size]));
        return entry;
    }

    private static void append(FileLogStorage storage, long from, int count, long term, int size) {
        List<LogEntry> entries = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            entries.add(entry(from + i, term, size));
        }
        assertThat(storage.appendEntries(entries)).isEqualTo(count);
    }

    private List<Path> segments() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.sorted().toList();
        }
    }

    /** A leader that waited here would send an entry only after its own disk has it. */
    @Test
    void entries_areReadWhileOthersAreWritten() {
        FileLogStorage storage = open();
        append(storage, 1, 2, 7, 10);
        // A call that writes holds this monitor until the disk has synced.
        synchronized (storage) {
            CompletableFuture<List<Long>> read = CompletableFuture.supplyAsync(() -> List.of(
                    storage.getFirstLogIndex(),
                    storage.getLastLogIndex(),
                    Objects.requireNonNull(storage.getEntry(2)).getId().getTerm()));
            assertThat(read.orTimeout(30, TimeUnit.SECONDS).join()).containsExactly(1L, 2L, 7L);
        }
    }

    @Test
    void entries_areThereAfterAReopening() {
        FileLogStorage storage = open();
        append(storage, 1, 5, 1, 10);
        append(storage, 6, 1, 2, 10);
        storage = reopen(storage);
        assertThat(storage.getFirstLogIndex()).isEqualTo(1);
        assertThat(storage.getLastLogIndex()).isEqualTo(6);
        assertThat(storage.getEntry(6).getId().getTerm()).isEqualTo(2);
        assertThat(storage.getEntry(7)).isNull();
        storage.shutdown();
    }

    @Test
    void prefix_isDeletedByWholeSegments() throws IOException {
        FileLogStorage storage = open();
        for (int i = 1; i <= 12; i++) {
            append(storage, i, 1, 1, LARGE);
        }
        assertThat(segments()).hasSize(4);
        assertThat(storage.truncatePrefix(8)).isTrue();
        assertThat(storage.getFirstLogIndex()).isEqualTo(8);
        assertThat(segments()).hasSize(2);
        storage = reopen(storage);
        assertThat(storage.getFirstLogIndex()).isEqualTo(7);
        assertThat(storage.getLastLogIndex()).isEqualTo(12);
        storage.shutdown();
    }

    @Test
    void suffix_isCutAcrossSegments() throws IOException {
        for (long kept = 0; kept <= 7; kept++) {
            FileLogStorage storage = open();
            storage.reset(1);
            for (int i = 1; i <= 7; i++) {
                append(storage, i, 1, 1, LARGE);
            }
            assertThat(storage.truncateSuffix(kept)).isTrue();
            storage = reopen(storage);
            assertThat(storage.getLastLogIndex()).isEqualTo(kept);
            append(storage, kept + 1, 2, 2, 10);
            storage = reopen(storage);
            assertThat(storage.getLastLogIndex()).isEqualTo(kept + 2);
            assertThat(storage.getEntry(kept + 1).getId().getTerm()).isEqualTo(2);
            if (kept > 0) {
                assertThat(storage.getEntry(kept).getId().getTerm()).isEqualTo(1);
            }
            storage.shutdown();
        }
    }

    @Test
    void randomOperations_giveWhatAListGives() {
        Random random = new Random(5);
        List<Long> terms = new ArrayList<>();
        long first = 1;
        FileLogStorage storage = open();
        for (int step = 0; step < 300; step++) {
            int kind = random.nextInt(10);
            if (kind < 6) {
                int count = 1 + random.nextInt(4);
                append(storage, first + terms.size(), count, step, random.nextInt(5) == 0 ? LARGE : 20);
                for (int i = 0; i < count; i++) {
                    terms.add((long) step);
                }
            } else if (kind == 6 && !terms.isEmpty()) {
                int kept = random.nextInt(terms.size());
                storage.truncateSuffix(first + kept - 1);
                terms.subList(kept, terms.size()).clear();
            } else if (kind == 7 && !terms.isEmpty()) {
                int cut = random.nextInt(terms.size());
                storage.truncatePrefix(first + cut);
                terms.subList(0, cut).clear();
                first += cut;
            } else if (!terms.isEmpty()) {
                storage = reopen(storage);
                // It may begin earlier, never later.
                assertThat(storage.getFirstLogIndex()).isLessThanOrEqualTo(first);
                storage.truncatePrefix(first);
            }
            assertThat(storage.getLastLogIndex()).isEqualTo(terms.isEmpty() ? 0 : first + terms.size() - 1);
            for (int i = 0; i < terms.size(); i++) {
                assertThat(storage.getEntry(first + i).getId().getTerm()).isEqualTo(terms.get(i));
            }
        }
        storage.shutdown();
    }

    @Test
    void incompleteEnd_isRemoved() throws IOException {
        FileLogStorage storage = open();
        append(storage, 1, 3, 1, 100);
        storage.shutdown();
        Path file = segments().get(0);
        byte[] bytes = Files.readAllBytes(file);
        Files.write(file, java.util.Arrays.copyOf(bytes, bytes.length - 5));
        storage = open();
        assertThat(storage.getLastLogIndex()).isEqualTo(2);
        append(storage, 3, 1, 2, 100);
        storage = reopen(storage);
        assertThat(storage.getLastLogIndex()).isEqualTo(3);
        storage.shutdown();
    }

    @Test
    void damage_beforeTheEnd_stopsTheStartWithWhatToDo() throws IOException {
        FileLogStorage storage = open();
        append(storage, 1, 3, 1, 100);
        storage.shutdown();
        Path file = segments().get(0);
        byte[] bytes = Files.readAllBytes(file);
        bytes[60] ^= 1;
        Files.write(file, bytes);
        FileLogStorage damaged = new FileLogStorage(directory, true);
        assertThat(damaged.init(options())).isFalse();
        assertThat(damaged.failure()).contains(file.toString()).contains("empty the node's directory");
        assertThat(Files.readAllBytes(file)).isEqualTo(bytes);
    }
}
