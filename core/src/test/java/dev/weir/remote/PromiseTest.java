package dev.weir.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.weir.Answer;
import dev.weir.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

class PromiseTest {
    private static final Duration LONG = Duration.ofSeconds(90);
    private static final StoreException FAILURE = new StoreException("gone", true, null);

    private final Promise<String> promise = new Promise<>();

    @Test
    void complete_twice_isHeardOnce() {
        assertThat(promise.complete("first")).isTrue();
        assertThat(promise.complete("second")).isFalse();
        assertThat(promise.fail(FAILURE)).isFalse();
        assertThat(promise.now()).isEqualTo("first");
        assertThat(promise.await(Duration.ZERO)).isEqualTo("first");
    }

    @Test
    void now_beforeTheAnswer_isMisuse() {
        assertThatIllegalStateException().isThrownBy(promise::now);
        assertThat(promise.isDone()).isFalse();
    }

    @Test
    void await_withoutAnAnswer_failsInTime() {
        assertThatExceptionOfType(StoreException.class).isThrownBy(() -> promise.await(Duration.ofMillis(5)));
    }

    @Test
    void await_interrupted_failsAndStaysInterrupted() {
        Thread.currentThread().interrupt();
        assertThatExceptionOfType(StoreException.class).isThrownBy(() -> promise.await(LONG));
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void fail_isThrownAndTold() {
        List<Object> heard = new ArrayList<>();
        promise.whenDone((value, failure) -> heard.add(failure));
        promise.fail(FAILURE);
        promise.whenDone((value, failure) -> heard.add(failure));
        assertThat(heard).containsExactly(FAILURE, FAILURE);
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> promise.await(LONG))
                .isSameAs(FAILURE);
    }

    @Test
    void whenDone_severalTimes_tellsAllInOrderWhateverOneThrows() {
        List<String> heard = new ArrayList<>();
        promise.whenDone((value, failure) -> heard.add("1" + value));
        promise.whenDone((value, failure) -> {
            throw new IllegalStateException("a callback that fails");
        });
        promise.whenDone((value, failure) -> heard.add("2" + value));
        assertThat(promise.complete("x")).isTrue();
        assertThat(heard).containsExactly("1x", "2x");
    }

    @Test
    void whenDone_callbackThrows_isLogged() {
        List<LogRecord> logged = new ArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord entry) {
                logged.add(entry);
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger(Promise.class.getName());
        logger.addHandler(handler);
        logger.setUseParentHandlers(false);
        try {
            AssertionError thrown = new AssertionError("a callback that fails");
            promise.whenDone((value, failure) -> {
                throw thrown;
            });
            promise.complete("x");
            assertThat(logged).singleElement().satisfies(entry -> {
                assertThat(entry.getLevel()).isEqualTo(Level.SEVERE);
                assertThat(entry.getThrown()).isSameAs(thrown);
            });
        } finally {
            logger.removeHandler(handler);
            logger.setUseParentHandlers(true);
        }
    }

    @Test
    void misuse_isThrownAsSuchAndToldAsAFailure() {
        IllegalArgumentException misuse = new IllegalArgumentException("the id names a reservation of other keys");
        Answer<String> answer = Promise.misuse(misuse);
        assertThatIllegalArgumentException().isThrownBy(answer::now).isSameAs(misuse);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> answer.await(LONG))
                .isSameAs(misuse);
        List<StoreException> heard = new ArrayList<>();
        answer.whenDone((value, failure) -> heard.add(failure));
        assertThat(heard).singleElement().satisfies(failure -> {
            assertThat(failure).hasMessage(misuse.getMessage()).hasCause(misuse);
            assertThat(failure.retryable()).isFalse();
        });
    }

    /** A callback registered during completion runs exactly once, and a waiting thread wakes up. */
    @Test
    void whenDoneAndAwait_whileTheAnswerIsGiven_areToldOnce() throws Exception {
        for (int round = 0; round < 2_000; round++) {
            Promise<Integer> raced = new Promise<>();
            AtomicInteger told = new AtomicInteger();
            CyclicBarrier start = new CyclicBarrier(3);
            Thread listener = started(start, () -> {
                raced.whenDone((value, failure) -> told.incrementAndGet());
                raced.whenDone((value, failure) -> told.incrementAndGet());
            });
            Thread waiter = started(start, () -> told.addAndGet(raced.await(LONG)));
            start.await();
            raced.complete(10);
            listener.join();
            waiter.join();
            assertThat(told.get()).isEqualTo(12);
        }
    }

    private static Thread started(CyclicBarrier start, Runnable work) {
        Thread thread = new Thread(() -> {
            try {
                start.await();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
            work.run();
        });
        thread.start();
        return thread;
    }
}
