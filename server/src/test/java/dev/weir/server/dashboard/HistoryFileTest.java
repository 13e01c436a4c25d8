package dev.weir.server.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryFileTest {
    @TempDir
    Path directory;

    private static SavedHistory history() {
        RollingCounts counts = new RollingCounts(720, 5, 2);
        counts.add(1_000_000_000L, 1, 7);
        SavedHistory history = new SavedHistory(999);
        history.lastNumber = 3;
        history.add("all/1h", counts);
        history.addEvent("{\"kind\":\"server_started\"}");
        return history;
    }

    @Test
    void whatWasWritten_isRead() throws IOException {
        HistoryFile file = new HistoryFile(directory);
        assertThat(file.read()).isNull();
        file.write(history());
        file.write(history());
        SavedHistory read = Objects.requireNonNull(file.read());
        assertThat(read.recordedSince).isEqualTo(999);
        assertThat(read.lastNumber).isEqualTo(3);
        assertThat(read.events).containsExactly("{\"kind\":\"server_started\"}");
        RollingCounts counts = Objects.requireNonNull(read.series.get("all/1h"));
        assertThat(counts.latestAt()).isEqualTo(1_000_000_000L);
        assertThat(counts.value(1, 0)).isEqualTo(7);
        assertThat(Files.list(directory)).hasSize(1);
    }

    /** Every truncation, and every change of a byte that the checksum covers. */
    @Test
    void damagedFile_isIgnored() throws IOException {
        byte[] whole = history().bytes();
        Path path = directory.resolve(HistoryFile.NAME);
        for (int length = 0; length < whole.length; length += 7) {
            Files.write(path, Arrays.copyOf(whole, length));
            assertThat(new HistoryFile(directory).read()).as("%s bytes", length).isNull();
        }
        for (int i = 12; i < whole.length; i++) {
            byte[] changed = whole.clone();
            changed[i] ^= 0x40;
            Files.write(path, changed);
            SavedHistory read = new HistoryFile(directory).read();
            // The last bits of the compressed data are padding.
            if (read != null) {
                assertThat(read.bytes()).as("byte %s", i).isEqualTo(whole);
            }
        }
    }

    @Test
    void fileThatCannotBeWritten_isNotFatal() {
        HistoryFile file = new HistoryFile(directory.resolve("missing"));
        file.write(history());
        file.write(history());
        assertThat(file.read()).isNull();
    }
}
