package dev.weir.store.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileJournalTest {
    @TempDir
    Path directory;

    private static Entry entry(long index, long term) {
        return new Entry(index, term, 1_000 * index, index, index % 2 == 0, new byte[] {(byte) index, (byte) term});
    }

    private FileJournal open() throws IOException {
        return FileJournal.open(directory.resolve("node"));
    }

    @Test
    void journal_openedAgain_isAsItWas() throws IOException {
        FileJournal journal = open();
        assertThat(journal.isTrusted()).isFalse();
        journal.trust(true);
        journal.vote(3, 1);
        journal.append(List.of(entry(1, 1), entry(2, 1), entry(3, 3)));
        journal.close();
        FileJournal again = open();
        assertThat(again.term()).isEqualTo(3);
        assertThat(again.vote()).isEqualTo(1);
        assertThat(again.isTrusted()).isTrue();
        assertThat(again.lastIndex()).isEqualTo(3);
        assertThat(again.lastTerm()).isEqualTo(3);
        assertThat(again.lastMicros()).isEqualTo(3_000);
        assertThat(again.entry(2).body()).containsExactly(2, 1);
        again.close();
    }

    @Test
    void entries_thatWereReplaced_stayReplaced() throws IOException {
        FileJournal journal = open();
        journal.append(List.of(entry(1, 1), entry(2, 1), entry(3, 1)));
        journal.truncate(2);
        journal.append(List.of(entry(2, 2)));
        journal.close();
        FileJournal again = open();
        assertThat(again.lastIndex()).isEqualTo(2);
        assertThat(again.termAt(2)).isEqualTo(2);
        again.close();
    }

    @Test
    void log_withATornEnd_isReadUpToThere() throws IOException {
        FileJournal journal = open();
        journal.append(List.of(entry(1, 1), entry(2, 1)));
        journal.close();
        Path log = directory.resolve("node").resolve("log");
        long whole = Files.size(log);
        Files.write(log, new byte[] {0, 0, 0, 20, 1, 2, 3}, StandardOpenOption.APPEND);
        FileJournal again = open();
        assertThat(again.lastIndex()).isEqualTo(2);
        assertThat(Files.size(log)).isEqualTo(whole);
        again.append(List.of(entry(3, 1)));
        again.close();
        FileJournal third = open();
        assertThat(third.lastIndex()).isEqualTo(3);
        third.close();
    }

    @Test
    void snapshot_standsForTheBeginningOfTheLog() throws IOException {
        FileJournal journal = open();
        for (long i = 1; i <= 2_000; i++) {
            journal.append(List.of(entry(i, 1)));
        }
        journal.compact(1_990, new byte[] {7});
        assertThat(journal.termAt(1_500)).isEqualTo(1);
        journal.close();
        FileJournal again = open();
        assertThat(again.snapshotIndex()).isEqualTo(1_990);
        assertThat(again.snapshot()).containsExactly(7);
        assertThat(again.lastIndex()).isEqualTo(2_000);
        assertThat(again.entry(1_995).body()).containsExactly((byte) 1_995, 1);
        again.install(5_000, 4, 99, new byte[] {8, 9});
        again.close();
        FileJournal third = open();
        assertThat(third.lastIndex()).isEqualTo(5_000);
        assertThat(third.lastTerm()).isEqualTo(4);
        assertThat(third.lastMicros()).isEqualTo(99);
        third.close();
    }

    @Test
    void snapshot_thatIsDamaged_isRefusedWithWhatToDo() throws IOException {
        FileJournal journal = open();
        journal.append(List.of(entry(1, 1)));
        journal.compact(1, new byte[] {7, 7, 7});
        journal.close();
        Path file = directory.resolve("node").resolve("snapshot");
        byte[] content = Files.readAllBytes(file);
        content[content.length - 1]++;
        Files.write(file, content);
        assertThatThrownBy(this::open).isInstanceOf(IOException.class).hasMessageContaining("empty the directory");
    }

    @Test
    void directory_ofAnotherNode_isRefused() throws IOException {
        FileJournal journal = open();
        assertThatThrownBy(this::open).isInstanceOf(IOException.class).hasMessageContaining("in use");
        journal.close();
    }

    /** After a crash of the machine the end may be missing: the node counts for nothing until it has learned again. */
    @Test
    void journal_notClosedBeforeTheMachineWentDown_isNotTrusted() throws IOException {
        FileJournal journal = open();
        journal.trust(true);
        journal.append(List.of(entry(1, 1)));
        Path file = directory.resolve("node").resolve("vote");
        byte[] vote = Files.readAllBytes(file);
        journal.close();
        // As it was while it was open, in another run of the machine.
        vote[vote.length - 1]++;
        Files.write(file, vote);
        FileJournal again = open();
        assertThat(again.isTrusted()).isFalse();
        assertThat(again.lastIndex()).isEqualTo(1);
        again.close();
    }
}
