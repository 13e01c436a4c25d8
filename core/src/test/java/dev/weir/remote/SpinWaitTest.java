package dev.weir.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.StoreException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SpinWaitTest {
    private static final long LONG = Duration.ofSeconds(20).toNanos();

    private final SpinWait spinWait = SpinWait.spinning();

    /** A promise that completes at the n-th poll. */
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
    void anAnswerThatComesSoon_isSeenSpinning() {
        for (int i = 0; i < 1_000; i++) {
            assertThat(spinWait.spinUntilDone(new Looked(3), System.nanoTime(), LONG))
                    .isTrue();
        }
    }

    @Test
    void yielding_looksAFewTimesOnly() {
        SpinWait yielding = new SpinWait(false, () -> 0);
        assertThat(yielding.spinUntilDone(new Looked(8), 0, LONG)).isTrue();
        assertThat(yielding.spinUntilDone(new Looked(9), 0, LONG)).isFalse();
    }

    @Test
    void yielding_whereTheCoreComesBackLate_parksAtOnce() {
        AtomicLong late = new AtomicLong();
        SpinWait yielding = new SpinWait(false, () -> late.addAndGet(3_000_000));
        int looked = 0;
        for (int i = 0; i < 100; i++) {
            looked += yielding.spinUntilDone(new Looked(1), late.get(), LONG) ? 1 : 0;
        }
        assertThat(looked).isZero();
        assertThat(yielding.pays()).isFalse();
    }

    @Test
    void hasThreadWaited_isTrueOnceForEachWait() {
        assertThat(spinWait.hasThreadWaited()).isFalse();
        spinWait.noteThread();
        assertThat(spinWait.hasThreadWaited()).isTrue();
        assertThat(spinWait.hasThreadWaited()).isFalse();
    }

    @Test
    void isAThreadWaiting_onlyWhileAThreadWaits() {
        assertThat(spinWait.isAThreadWaiting()).isFalse();
        Promise<String> answer = new Promise<>(spinWait) {
            @Override
            public boolean isDone() {
                assertThat(spinWait.isAThreadWaiting()).isTrue();
                return complete("soon") || super.isDone();
            }
        };
        assertThat(answer.await(Duration.ofSeconds(20))).isEqualTo("soon");
        assertThat(spinWait.isAThreadWaiting()).isFalse();
        assertThatThrownBy(() -> new Promise<String>(spinWait).await(Duration.ofMillis(1)))
                .isInstanceOf(StoreException.class);
        assertThat(spinWait.isAThreadWaiting()).isFalse();
    }

    @Test
    void isAThreadWaiting_whileAThreadSleeps() throws InterruptedException {
        Promise<String> answer = new Promise<>(spinWait);
        Thread thread = new Thread(() -> answer.await(Duration.ofSeconds(20)));
        thread.start();
        while (thread.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        assertThat(spinWait.isAThreadWaiting()).isTrue();
        answer.complete("late");
        thread.join();
        assertThat(spinWait.isAThreadWaiting()).isFalse();
    }

    @Test
    void anAnswerThatDoesNotCome_isLeftToSleepSoon() {
        Looked never = new Looked(Integer.MAX_VALUE);
        long begun = System.nanoTime();
        assertThat(spinWait.spinUntilDone(never, begun, LONG)).isFalse();
        assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(200_000);
    }

    @Test
    void aShorterTimeout_isAThreadWaiting() {
        Looked never = new Looked(Integer.MAX_VALUE);
        assertThat(spinWait.spinUntilDone(never, System.nanoTime() - 10, 5)).isFalse();
        assertThat(never.looks).hasValue(0);
    }

    @Test
    void answersThatDoNotComeSoon_areSleptThrough_untilTheyDoAgain() {
        AtomicInteger tried = new AtomicInteger();
        for (int i = 0; i < 10_000; i++) {
            Looked never = new Looked(Integer.MAX_VALUE);
            boolean unused = spinWait.spinUntilDone(never, System.nanoTime() - 1_000_000, LONG);
            tried.addAndGet(never.looks.get() > 0 ? 1 : 0);
        }
        // Sixteen until the failure is noticed, then two of every 258.
        assertThat(tried).hasValueBetween(60, 120);

        int seen = 0;
        for (int i = 0; i < 1_000; i++) {
            seen += spinWait.spinUntilDone(new Looked(1), System.nanoTime(), LONG) ? 1 : 0;
        }
        assertThat(seen).isGreaterThan(700);
    }

    /** The clock of an event loop, which advances by a microsecond at every poll. */
    private final AtomicLong now = new AtomicLong();

    private final SpinWait timed = new SpinWait(true, () -> now.addAndGet(1_000));
    private final SpinWait.EventLoopSpin loop = timed.loop();

    /** How long the loop spins before it sleeps, in nanoseconds. */
    private long spun() {
        long begun = now.get();
        while (loop.shouldSpin()) {
            // No event arrives.
        }
        return now.get() - begun;
    }

    @Test
    void loop_noCallUnderWay_sleepsAtOnce() {
        assertThat(loop.shouldSpin()).isFalse();
        CompletableFuture<String> call = new CompletableFuture<>();
        timed.callLeft(call);
        assertThat(loop.shouldSpin()).isTrue();
        call.complete("done");
        assertThat(loop.shouldSpin()).isFalse();
    }

    @Test
    void loop_callUnderWay_spinsForAMoment() {
        timed.callLeft(new CompletableFuture<>());
        assertThat(spun()).isBetween(SpinWait.LONGEST_NANOS, SpinWait.LONGEST_NANOS + 5_000);
    }

    @Test
    void loop_whileAThreadWaits_sleeps() {
        timed.callLeft(new CompletableFuture<>());
        timed.begin();
        assertThat(loop.shouldSpin()).isFalse();
        timed.end();
        assertThat(loop.shouldSpin()).isTrue();
    }

    @Test
    void loop_heldUp_sleeps() {
        timed.callLeft(new CompletableFuture<>());
        assertThat(loop.shouldSpin()).isTrue();
        now.addAndGet(40_000);
        assertThat(loop.shouldSpin()).isFalse();
    }

    @Test
    void loop_answersThatDoNotComeSoon_sleepsNearlyAlways_untilTheyDoAgain() {
        timed.callLeft(new CompletableFuture<>());
        int spinning = 0;
        for (int i = 0; i < 10_000; i++) {
            spinning += spun() > 2_000 ? 1 : 0;
        }
        assertThat(spinning).isBetween(60, 120);

        int looked = 0;
        for (int i = 0; i < 1_000; i++) {
            looked += loop.shouldSpin() ? 1 : 0;
            loop.hasWork();
        }
        assertThat(looked).isGreaterThan(700);
    }
}
