package dev.weir.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Charge;
import dev.weir.FixedWindow;
import dev.weir.Key;
import dev.weir.StoreException;
import dev.weir.fixture.ClassPath;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A full disk, simulated by a limit on the size of the files that a process may write. */
@Tag("io")
class FullDiskTest {
    private static final int CAPACITY = 100_000;
    private static final Charge CHARGE =
            Charge.of(Key.of("disk", "full"), FixedWindow.of(CAPACITY, Duration.ofDays(1)));

    @TempDir
    Path directory;

    @Test
    void sqlite_whoseFilesCannotGrow_admitsNothingThatIsNotStored() throws Exception {
        String uri = "jdbc:sqlite:" + directory.resolve("full.db");
        JdbcStore.open(uri).close();
        Path log = directory.resolve("log");
        Process process = new ProcessBuilder(
                        "sh",
                        "-c",
                        "ulimit -f 4096; exec \"$0\" \"$@\"", // 2 MiB: the driver unpacks a library of 1 MiB
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:-UsePerfData",
                        "-cp",
                        ClassPath.without("^$").toString(),
                        Writer.class.getName(),
                        uri)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
        String said = Files.readString(log);
        assertThat(said).contains("failed after ").doesNotContain("failed after 0");

        try (JdbcStore store = JdbcStore.open(uri)) {
            long stored =
                    CAPACITY - store.peek(List.of(CHARGE)).await().reading(0).remaining();
            assertThat(said.lines().toList()).contains("failed after " + stored);
        }
    }

    /** Consumes until the store fails. */
    static final class Writer {
        private Writer() {}

        public static void main(String[] arguments) {
            int admitted = 0;
            try (JdbcStore store = JdbcStore.open(arguments[0])) {
                while (store.consume(List.of(CHARGE)).await().admitted()) {
                    admitted++;
                }
                System.out.println("never failed");
            } catch (StoreException e) {
                System.out.println(e.getMessage());
                System.out.println("failed after " + admitted);
            }
            System.exit(0);
        }
    }
}
