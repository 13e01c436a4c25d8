package dev.weir.store.jdbc;

import dev.weir.Store;
import dev.weir.store.jdbc.rows.GivenClock;
import dev.weir.testkit.FakeClock;
import dev.weir.testkit.history.StoreOnFakeClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A SQLite store on its own file and a fake clock. */
final class SqliteUnderTest extends StoreOnFakeClock {
    private final Path file = newFile();
    private final JdbcStore store = JdbcBackend.sqlite(
                    "jdbc:sqlite:" + file, DatabaseKind.LONG_TIMEOUT.withCleanup(null), given(clock))
            .store();

    static Path newFile() {
        try {
            Path file = Files.createTempFile(fastDirectory(), "weir", ".db");
            Files.delete(file);
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void delete(Path file) {
        try {
            for (String suffix : List.of("", "-wal", "-shm")) {
                Files.deleteIfExists(Path.of(file + suffix));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** In memory where there is such a place: what these tests look at is not the disk. */
    private static @Nullable Path fastDirectory() {
        Path memory = Path.of("/dev/shm");
        return Files.isWritable(memory) ? memory : Path.of(System.getProperty("java.io.tmpdir"));
    }

    static GivenClock given(FakeClock clock) {
        return new GivenClock() {
            @Override
            public long micros() {
                return clock.epochMicros();
            }

            @Override
            public long wallMillis() {
                return clock.epochMillis();
            }
        };
    }

    @Override
    public Store store() {
        return store;
    }

    @Override
    public void sweep() {
        store.sweep();
    }

    @Override
    public void close() {
        store.close();
        delete(file);
    }
}
