package dev.weir.engine.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.Key;
import dev.weir.StoreException;
import dev.weir.spi.idempotency.BeginResult;
import dev.weir.spi.idempotency.BeginResult.Begun;
import dev.weir.spi.idempotency.BeginResult.Done;
import dev.weir.spi.idempotency.BeginResult.InFlight;
import dev.weir.spi.idempotency.BeginResult.OtherRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MemoryResponseStoreTest {
    private static final Key KEY = Key.of("orders", "device-1", "key-1");
    private static final byte[] REQUEST = bytes("digest");
    private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(90);
    private static final Duration DAY = Duration.ofDays(1);

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
    private final MemoryResponseStore store = new MemoryResponseStore(10_000, nanos::get);

    @Test
    void theFirst_begins_andOthersLearnThatItIsUnderWay() {
        assertThat(begin()).isInstanceOf(Begun.class);
        assertThat(begin()).isEqualTo(new InFlight());
    }

    @Test
    void whatWasDone_isToldUntilItEnds() {
        complete(begin(), "201 created");

        assertThat(begin()).isEqualTo(new Done(bytes("201 created")));
        nanos.addAndGet(DAY.toNanos() - 1);
        assertThat(begin()).isInstanceOf(Done.class);
        nanos.addAndGet(1);
        assertThat(begin()).isInstanceOf(Begun.class);
    }

    @Test
    void aKeyThatIsUsedForSomethingElse_isNoticed() {
        BeginResult first = begin();
        assertThat(store.begin(KEY, bytes("other"), ANSWER_TIMEOUT).now()).isEqualTo(new OtherRequest());

        complete(first, "done");
        assertThat(store.begin(KEY, bytes("other"), ANSWER_TIMEOUT).now()).isEqualTo(new OtherRequest());
    }

    @Test
    void whoTookTooLong_cannotCompleteWhatAnotherBegan() {
        Begun slow = (Begun) begin();
        nanos.addAndGet(ANSWER_TIMEOUT.toNanos());
        Begun next = (Begun) begin();

        assertThat(store.complete(KEY, slow.token(), bytes("late"), DAY).now()).isFalse();
        assertThat(store.abandon(KEY, slow.token()).now()).isFalse();
        assertThat(store.complete(KEY, next.token(), bytes("in time"), DAY).now())
                .isTrue();
        assertThat(begin()).isEqualTo(new Done(bytes("in time")));
    }

    @Test
    void whatWasAbandoned_isFreeAgain_butNotWhatIsDone() {
        Begun first = (Begun) begin();
        assertThat(store.abandon(KEY, first.token()).now()).isTrue();
        Begun second = (Begun) begin();
        complete(second, "done");

        assertThat(store.abandon(KEY, second.token()).now()).isFalse();
        assertThat(begin()).isInstanceOf(Done.class);
    }

    @Test
    void oneClientsKey_isNotAnothers() {
        begin();

        assertThat(store.begin(Key.of("orders", "device-2", "key-1"), REQUEST, ANSWER_TIMEOUT)
                        .now())
                .isInstanceOf(Begun.class);
    }

    @Test
    void aFullStore_failsRatherThanForgets() {
        assertThatThrownBy(() -> {
                    for (int i = 0; ; i++) {
                        store.begin(Key.of("orders", "x", "" + i), REQUEST, ANSWER_TIMEOUT)
                                .now();
                    }
                })
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("10000 bytes");

        assertThat(store.size()).isBetween(10, 40);
        assertThat(store.begin(Key.of("orders", "x", "0"), REQUEST, ANSWER_TIMEOUT)
                        .now())
                .isEqualTo(new InFlight());
        assertThatThrownBy(() -> begin()).isInstanceOf(StoreException.class);
        nanos.addAndGet(ANSWER_TIMEOUT.toNanos());
        assertThat(begin()).isInstanceOf(Begun.class);
        assertThat(store.size()).isEqualTo(1);
    }

    @Test
    void aResponseThatDoesNotFit_leavesTheRequestUnderWay() {
        Begun begun = (Begun) begin();

        assertThatThrownBy(() -> store.complete(KEY, begun.token(), new byte[20_000], DAY)
                        .now())
                .isInstanceOf(StoreException.class);
        assertThat(begin()).isEqualTo(new InFlight());
    }

    @Test
    void manyAtOnce_beginOnce() throws Exception {
        var pool = Executors.newFixedThreadPool(16);
        try {
            for (int round = 0; round < 50; round++) {
                Key key = Key.of("orders", "round", "" + round);
                var barrier = new CyclicBarrier(16);
                var answers = IntStream.range(0, 16)
                        .mapToObj(i -> pool.submit(() -> {
                            barrier.await();
                            return new MemoryAnswer(
                                    store.begin(key, REQUEST, ANSWER_TIMEOUT).now());
                        }))
                        .toList();
                long begun = 0;
                for (Future<MemoryAnswer> answer : answers) {
                    begun += answer.get().beginning() instanceof Begun ? 1 : 0;
                }
                assertThat(begun).isEqualTo(1);
                nanos.addAndGet(ANSWER_TIMEOUT.toNanos());
            }
        } finally {
            pool.shutdownNow();
        }
    }

    private record MemoryAnswer(BeginResult beginning) {}

    @Test
    void misuse_saysWhatIsNeeded() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> store.begin(KEY, new byte[65], ANSWER_TIMEOUT))
                .withMessageContaining("at most 64");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> store.begin(KEY, REQUEST, Duration.ZERO))
                .withMessageContaining("processingTimeout is 0s");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> store.complete(KEY, "t", new byte[(1 << 20) + 1], DAY))
                .withMessageContaining("1048577 bytes");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> store.complete(KEY, "t", new byte[0], Duration.ofDays(31)))
                .withMessageContaining("ttl is 31d");
        assertThat(store.size()).isZero();
    }

    private BeginResult begin() {
        return store.begin(KEY, REQUEST, ANSWER_TIMEOUT).now();
    }

    private void complete(BeginResult beginning, String response) {
        assertThat(store.complete(KEY, ((Begun) beginning).token(), bytes(response), DAY)
                        .now())
                .isTrue();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
