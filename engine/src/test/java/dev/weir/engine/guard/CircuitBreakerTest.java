package dev.weir.engine.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CircuitBreakerTest {
    private long now = 1_000;
    private final List<String> heard = new ArrayList<>();
    private final CircuitBreaker breaker =
            new CircuitBreaker(3, Duration.ofNanos(100), () -> now, new CircuitBreaker.Listener() {
                @Override
                public void opened(String cause) {
                    heard.add("opened: " + cause);
                }

                @Override
                public void closed(Duration open) {
                    heard.add("closed after " + open.toNanos());
                }
            });

    private void fail(int times) {
        for (int i = 0; i < times; i++) {
            breaker.failed("gone");
        }
    }

    @Test
    void failuresInARow_openIt() {
        fail(2);
        assertThat(breaker.refusal()).isNull();
        breaker.succeeded();
        fail(2);
        assertThat(breaker.isOpen()).as("a success between them counts").isFalse();
        fail(1);
        assertThat(breaker.refusal()).hasMessage("the store does not answer: gone");
        assertThat(heard).containsExactly("opened: gone");
    }

    @Test
    void afterThePause_oneTries() {
        fail(3);
        now += 99;
        assertThat(breaker.refusal()).isNotNull();
        now += 1;
        assertThat(breaker.refusal()).isNull();
        assertThat(breaker.refusal()).as("the others wait for the one").isNotNull();
        breaker.failed("still gone");
        assertThat(breaker.refusal()).isNotNull();
        now += 100;
        assertThat(breaker.refusal()).isNull();
        breaker.succeeded();
        assertThat(breaker.refusal()).isNull();
        assertThat(heard).containsExactly("opened: gone", "closed after 200");
    }

    @Test
    void oneThatTriesAndComesToNothing_leavesItToTheNext() {
        fail(3);
        now += 100;
        assertThat(breaker.refusal()).isNull();
        breaker.abandoned();
        assertThat(breaker.refusal()).isNull();
        assertThat(breaker.isOpen()).isTrue();
    }

    @Test
    void lateFailures_ofCallsBegunBefore_openItOnce() {
        fail(50);
        assertThat(heard).hasSize(1);
        breaker.succeeded();
        assertThat(heard).hasSize(2);
        fail(2);
        assertThat(breaker.isOpen()).as("it counts from the beginning").isFalse();
    }

    @Test
    void manyThreads_oneTries() throws Exception {
        for (int round = 0; round < 200; round++) {
            fail(3);
            now += 100;
            AtomicInteger tried = new AtomicInteger();
            CountDownLatch go = new CountDownLatch(1);
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                Thread thread = new Thread(() -> {
                    try {
                        go.await();
                    } catch (InterruptedException e) {
                        return;
                    }
                    tried.addAndGet(breaker.refusal() == null ? 1 : 0);
                });
                thread.start();
                threads.add(thread);
            }
            go.countDown();
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(tried).hasValue(1);
            breaker.succeeded();
        }
    }

    @Test
    void options_areChecked() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> GuardOptions.defaults().withDeadline(Duration.ZERO));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> GuardOptions.defaults().withDeadline(Duration.ofHours(1)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new GuardOptions(Duration.ofMillis(1), 0, Duration.ofMillis(1)));
    }
}
