package dev.weir.store.durableobjects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.Answer;
import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.StoreException;
import dev.weir.TokenBucket;
import dev.weir.fixture.WorkerProcess;
import io.vertx.core.http.HttpVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The connection to the worker as in production: HTTP/2 over TLS. */
@Tag("io")
class DurableObjectsTlsTest {
    private static final Duration TIMEOUT = Duration.ofMinutes(1);
    private static final Policy TEN = TokenBucket.of(10, 1, Duration.ofHours(1));

    @TempDir
    static Path directory;

    private static EncryptedFront front;

    @BeforeAll
    static void start() throws IOException {
        front = new EncryptedFront(SharedWorker.options().port(), directory);
    }

    @AfterAll
    static void stop() {
        front.close();
    }

    @BeforeEach
    void forget() {
        front.spoken.clear();
        front.connections.set(0);
    }

    private static DurableObjectsStoreOptions options(String host, String more) {
        return DurableObjectsStoreOptions.parse(
                        "durable-objects+https://" + host + ":" + front.port() + "?token=" + WorkerProcess.TOKEN + more)
                .withPrefix(SharedWorker.options().prefix())
                .withTimeout(TIMEOUT);
    }

    @Test
    void consume_ofManyMoreThanAConnectionCarries_goesByOneConnectionAndFailsNobody() {
        try (DurableObjectsStore store = DurableObjectsStore.open(options("localhost", "&ca=" + front.authority()))) {
            List<Answer<Decision>> asked = IntStream.range(0, 2_000)
                    .mapToObj(i -> store.consume(List.of(Charge.of(Key.of("tls", "u" + i), TEN))))
                    .toList();
            for (Answer<Decision> each : asked) {
                assertThat(each.await(TIMEOUT).reading(0).remaining()).isEqualTo(9);
            }
        }
        assertThat(front.spoken).containsExactly(HttpVersion.HTTP_2);
        assertThat(front.connections).hasValue(1);
    }

    @Test
    void open_ofAWorkerWhoseAuthorityNobodyKnows_isRefused() {
        assertThatThrownBy(() -> DurableObjectsStore.open(options("localhost", "")))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("the worker at localhost:" + front.port());
        assertThat(front.spoken).isEmpty();
    }

    @Test
    void open_ofAWorkerThatHasAnotherName_isRefused() {
        assertThatThrownBy(() -> DurableObjectsStore.open(options("127.0.0.1", "&ca=" + front.authority())))
                .isInstanceOf(StoreException.class);
        assertThat(front.spoken).isEmpty();
    }

    @Test
    void open_withAFileThatIsNoCertificate_saysSo() throws IOException {
        Path other = Files.writeString(directory.resolve("other.pem"), "rubbish");
        assertThatThrownBy(() -> DurableObjectsStore.open(options("localhost", "&ca=" + other)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ca names a file");
        assertThatThrownBy(() -> DurableObjectsStore.open(options("localhost", "&ca=/nowhere.pem")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cannot be read");
    }
}
