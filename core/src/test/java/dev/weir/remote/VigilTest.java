package dev.weir.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.StoreException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class VigilTest {
    private static final long LONG = Duration.ofSeconds(20).toNanos();

    private final Vigil vigil = new Vigil();

    /** An answer that comes when somebody looks for the so-manyeth time. */
    private static final class Looked extends Promise<String> {
        private final int comesAt;
        private final AtomicInteger looks = new AtomicInteger();

        private Looked(int comesAt) {
            this.comesAt = comesAt;
        }

        @Override
        public boolean isDone() {
            return looks.incrementAndGet() >= comesAt;
        }
    }

    @Test
    void anAnswerThatComesSoon_isSeenAwake() {
        for (int i = 0; i < 1_000; i++) {
            assertThat(vigil.sees(new Looked(3), System.nanoTime(), LONG)).isTrue();
        }
    }

    @Test
    void isKept_onlyWhileAThreadWaits() {
        assertThat(vigil.isKept()).isFalse();
        Promise<String> answer = new Promise<>(vigil) {
            @Override
            public boolean isDone() {
                assertThat(vigil.isKept()).isTrue();
                return complete("awake") || super.isDone();
            }
        };
        assertThat(answer.await(Duration.ofSeconds(20))).isEqualTo("awake");
        assertThat(vigil.isKept()).isFalse();
        assertThatThrownBy(() -> new Promise<String>(vigil).await(Duration.ofMillis(1)))
                .isInstanceOf(StoreException.class);
        assertThat(vigil.isKept()).isFalse();
    }

    @Test
    void isKept_whileAThreadSleeps() throws InterruptedException {
        Promise<String> answer = new Promise<>(vigil);
        Thread thread = new Thread(() -> answer.await(Duration.ofSeconds(20)));
        thread.start();
        while (thread.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        assertThat(vigil.isKept()).isTrue();
        answer.complete("late");
        thread.join();
        assertThat(vigil.isKept()).isFalse();
    }

    @Test
    void anAnswerThatDoesNotCome_isLeftToSleepSoon() {
        Looked never = new Looked(Integer.MAX_VALUE);
        long begun = System.nanoTime();
        assertThat(vigil.sees(never, begun, LONG)).isFalse();
        assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(200_000);
    }

    @Test
    void aShorterTimeout_isKept() {
        Looked never = new Looked(Integer.MAX_VALUE);
        assertThat(vigil.sees(never, System.nanoTime() - 10, 5)).isFalse();
        assertThat(never.looks).hasValue(0);
    }

    @Test
    void answersThatDoNotComeSoon_areSleptThrough_untilTheyDoAgain() {
        AtomicInteger tried = new AtomicInteger();
        for (int i = 0; i < 10_000; i++) {
            Looked never = new Looked(Integer.MAX_VALUE);
            boolean unused = vigil.sees(never, System.nanoTime() - 1_000_000, LONG);
            tried.addAndGet(never.looks.get() > 0 ? 1 : 0);
        }
        // Sixteen until it is noticed, then two of every 258.
        assertThat(tried).hasValueBetween(60, 120);

        int seen = 0;
        for (int i = 0; i < 1_000; i++) {
            seen += vigil.sees(new Looked(1), System.nanoTime(), LONG) ? 1 : 0;
        }
        assertThat(seen).isGreaterThan(700);
    }
}
