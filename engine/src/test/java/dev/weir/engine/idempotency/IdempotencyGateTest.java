package dev.weir.engine.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.Answer;
import dev.weir.Key;
import dev.weir.engine.idempotency.IdempotencyGate.Finding;
import dev.weir.spi.idempotency.BeginResult;
import dev.weir.spi.idempotency.ResponseStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A response store that throws instead of answering, as a closed one does. */
class IdempotencyGateTest {
    private static final Duration SOON = Duration.ofSeconds(30);

    /** The number of calls that the store answers before it is closed. */
    private final AtomicInteger open = new AtomicInteger();

    private BeginResult beginning = new BeginResult.InFlight();

    private final ResponseStore closing = new ResponseStore() {
        @Override
        public Answer<BeginResult> begin(Key key, byte[] request, Duration patience) {
            checkOpen();
            return Answer.of(beginning);
        }

        @Override
        public Answer<Boolean> complete(Key key, String token, byte[] response, Duration ttl) {
            checkOpen();
            return Answer.of(true);
        }

        @Override
        public Answer<Boolean> abandon(Key key, String token) {
            checkOpen();
            return Answer.of(true);
        }

        @Override
        public void close() {}

        private void checkOpen() {
            if (open.getAndDecrement() <= 0) {
                throw new IllegalStateException("the store is closed");
            }
        }
    };

    @Test
    void ask_onAClosedStore_rejects() {
        assertThat(ask(gate(SOON, Duration.ZERO))).isInstanceOf(Finding.Rejected.class);
    }

    @Test
    void ask_whileTheStoreIsClosed_rejectsWhoWaits() {
        open.set(2);
        assertThat(ask(gate(SOON, SOON))).isInstanceOf(Finding.Rejected.class);
    }

    @Test
    void end_onAClosedStore_doesNotFail() {
        open.set(1);
        beginning = new BeginResult.Begun("token");
        IdempotentWork work = ((Finding.Fresh) ask(gate(SOON, Duration.ZERO))).work();
        assertThat(work.end(200, false, null, List.of(), new byte[0]).now()).isFalse();
    }

    @Test
    void time_thatNoStoreAccepts_isRefusedAtOnce() {
        Duration tooLong = ResponseStore.LONGEST_TTL.plusDays(1);
        assertThatThrownBy(() -> gate(tooLong, Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ttl");
    }

    private Finding ask(IdempotencyGate gate) {
        return gate.ask(List.of("key-1"), Map.of("user", "ann"), () -> new byte[1])
                .await(SOON);
    }

    private IdempotencyGate gate(Duration ttl, Duration waiting) {
        return new IdempotencyGate(
                closing, "Idempotency-Key", List.of("user"), false, ttl, SOON, waiting, 1_000, 1_000, status -> true);
    }
}
