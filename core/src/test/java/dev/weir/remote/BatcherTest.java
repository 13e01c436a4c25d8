package dev.weir.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.Answer;
import dev.weir.StoreException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BatcherTest {
    private static final BatcherOptions ONE_IN_FLIGHT = BatcherOptions.defaults();

    private final Backend backend = new Backend();

    @Test
    void aLoneQuestion_leavesAtOnceAndAlone() {
        var batcher = new Batcher<>(backend, ONE_IN_FLIGHT);

        Answer<String> answer = batcher.ask("a");

        assertThat(backend.asked).containsExactly(List.of("a"));
        assertThat(answer.isDone()).isFalse();
        backend.answerOldest();
        assertThat(answer.now()).isEqualTo("A");
    }

    @Test
    void ask_withAReader_answersWhatIsMadeOfIt() {
        var batcher = new Batcher<>(backend, ONE_IN_FLIGHT);

        Answer<Integer> length = batcher.ask("abc", answer -> Answer.of(answer.length()));
        Answer<String> later = batcher.ask("d", answer -> batcher.ask(answer + "!"));
        Answer<String> misuse = batcher.ask("e", answer -> Promise.misuse(new IllegalArgumentException(answer)));
        Answer<String> broken = batcher.ask("f", answer -> {
            throw new IllegalStateException("cannot read " + answer);
        });
        backend.answerOldest();
        backend.answerOldest();
        backend.answerOldest();

        assertThat(length.now()).isEqualTo(3);
        assertThat(later.now()).isEqualTo("D!");
        assertThatIllegalArgumentException().isThrownBy(misuse::now).withMessage("E");
        assertThatThrownBy(broken::now).isInstanceOf(StoreException.class).hasRootCauseMessage("cannot read F");
    }

    @Test
    void questionsThatComeMeanwhile_travelTogetherInTheirOrder() {
        var batcher = new Batcher<>(backend, ONE_IN_FLIGHT);
        var first = batcher.ask("a");
        var later = List.of(batcher.ask("b"), batcher.ask("c"), batcher.ask("d"));
        assertThat(backend.asked).containsExactly(List.of("a"));

        backend.answerOldest();

        assertThat(first.now()).isEqualTo("A");
        assertThat(backend.asked).containsExactly(List.of("a"), List.of("b", "c", "d"));
        backend.answerOldest();
        assertThat(later).map(Answer::now).containsExactly("B", "C", "D");
        assertThat(batcher.batches()).isEqualTo(2);
        assertThat(batcher.batchedRequests()).isEqualTo(4);
        assertThat(batcher.waiting()).isZero();
    }

    @Test
    void caller_thatAsksAgainWhenAnswered_joinsTheNextBatch() {
        var batcher = new Batcher<>(backend, ONE_IN_FLIGHT);
        batcher.ask("a").whenDone((answer, failure) -> batcher.ask("again"));
        batcher.ask("b");

        backend.answerOldest();

        assertThat(backend.asked).containsExactly(List.of("a"), List.of("b", "again"));
    }

    @Test
    void asManyTripsAsLanes_areUnderWay() {
        var batcher = new Batcher<>(backend, ONE_IN_FLIGHT.withMaxInFlight(2));
        batcher.ask("a");
        batcher.ask("b");
        batcher.ask("c");
        batcher.ask("d");

        assertThat(backend.asked).containsExactly(List.of("a"), List.of("b"));
        backend.answerNewest();
        assertThat(backend.asked).containsExactly(List.of("a"), List.of("b"), List.of("c", "d"));
    }

    /**
     * At most two batches in flight, three with callbacks. Another batch starts only for three different requests.
     * Requests with the same first letter count as the same.
     */
    private Batcher<String, String> sharing() {
        Weigher<String> sameLetter = new Weigher<>() {
            @Override
            public int weight(String question) {
                return 1;
            }

            @Override
            public boolean isRepeat(String previous, String request) {
                return previous.charAt(0) == request.charAt(0);
            }
        };
        return new Batcher<>(
                backend, sameLetter, ONE_IN_FLIGHT.withMaxInFlight(2, 3).withMinConcurrentBatch(3));
    }

    /** Makes so many calls with callbacks, without a waiting thread. */
    private void callBack(Batcher<String, String> batcher) {
        for (int i = 0; i < Batcher.UNTIL_CALLED_BACK; i++) {
            batcher.ask("a").whenDone((answer, failure) -> {});
            backend.answerOldest();
        }
    }

    @Test
    void equalQuestions_withCallbacks_shareSeveralCalls() {
        var batcher = sharing();
        callBack(batcher);

        for (int i = 0; i < 12; i++) {
            batcher.ask("a" + i);
        }

        assertThat(backend.open).as("calls in flight").hasSize(3);
    }

    @Test
    void equalQuestions_onceAThreadWaits_areOneCall() throws InterruptedException {
        var batcher = sharing();
        callBack(batcher);
        var first = batcher.ask("a");
        var thread = new Thread(() -> first.await(Duration.ofSeconds(30)));
        thread.start();
        while (thread.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        backend.answerOldest();
        thread.join();

        for (int i = 0; i < 12; i++) {
            batcher.ask("a" + i);
        }

        assertThat(backend.open).as("calls in flight").hasSize(1);
    }

    @Test
    void whatWaits_isSharedByLanes_ifItIsEnoughForBoth() {
        var batcher = sharing();
        for (String each : List.of("a", "b", "c", "d", "e", "f", "g")) {
            batcher.ask(each);
        }
        assertThat(backend.asked).as("nobody knew that so many would come").containsExactly(List.of("a"));

        backend.answerOldest();

        assertThat(backend.asked.subList(1, 3))
                .containsExactlyInAnyOrder(List.of("b", "c", "d"), List.of("e", "f", "g"));
        batcher.ask("h");
        backend.answerOldest();
        assertThat(backend.asked)
                .as("the lane that is back takes it along")
                .hasSize(4)
                .contains(List.of("h"));
    }

    @Test
    void fewRequests_waitForTheBatchInFlight() {
        var batcher = sharing();
        batcher.ask("a");
        for (String each : List.of("b", "c", "d", "e")) {
            batcher.ask(each);
        }
        backend.answerOldest();
        batcher.ask("f");
        batcher.ask("g");

        assertThat(backend.asked).containsExactly(List.of("a"), List.of("b", "c", "d", "e"));
        batcher.ask("h");
        assertThat(backend.asked).hasSize(3).contains(List.of("f", "g", "h"));
    }

    @Test
    void theSame_travelsTogetherHoweverMuchItIs() {
        var batcher = sharing();
        batcher.ask("a");
        List<String> same = IntStream.range(0, 20).mapToObj(i -> "b" + i).toList();
        same.forEach(batcher::ask);

        backend.answerOldest();
        same.forEach(batcher::ask);

        assertThat(backend.asked).containsExactly(List.of("a"), same);
        backend.answerOldest();
        assertThat(backend.asked).containsExactly(List.of("a"), same, same);
    }

    @Test
    void batch_isFullOnceItsRequestsWeighEnough() {
        var batcher = new Batcher<>(backend, String::length, ONE_IN_FLIGHT.withMaxBatch(3));
        batcher.ask("-");
        for (String each : List.of("a", "bb", "c", "dddddd", "e")) {
            batcher.ask(each);
        }

        for (int i = 0; i < 4; i++) {
            backend.answerOldest();
        }

        assertThat(backend.asked)
                .containsExactly(List.of("-"), List.of("a", "bb"), List.of("c", "dddddd"), List.of("e"));
    }

    @Test
    void failedBatch_failsItsOwnRequestsOnly() {
        var batcher = new Batcher<>(backend, ONE_IN_FLIGHT);
        var first = batcher.ask("a");
        var second = batcher.ask("b");

        backend.failOldest(new StoreException("gone", true, null));

        assertThatThrownBy(first::now).isInstanceOf(StoreException.class).hasMessage("gone");
        backend.answerOldest();
        assertThat(second.now()).isEqualTo("B");
    }

    @Test
    void aFailureOfAnotherKind_isAFailureOfTheStore() {
        var batcher = new Batcher<>(backend, ONE_IN_FLIGHT);
        var answer = batcher.ask("a");

        backend.failOldest(new IllegalStateException("a bug"));

        assertThatThrownBy(answer::now)
                .isInstanceOf(StoreException.class)
                .hasRootCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    void batchCall_thatThrows_failsItsRequestsAndFreesItsPermit() {
        var calls = new AtomicInteger();
        var batcher = new Batcher<String, String>(
                requests -> {
                    if (calls.getAndIncrement() == 0) {
                        throw new IllegalStateException("cannot leave");
                    }
                    return CompletableFuture.completedFuture(requests);
                },
                ONE_IN_FLIGHT);

        assertThatThrownBy(batcher.ask("a")::now).isInstanceOf(StoreException.class);
        assertThat(batcher.ask("b").now()).isEqualTo("b");
    }

    @Test
    void anotherNumberOfAnswersThanQuestions_isAFailure() {
        var batcher =
                new Batcher<String, String>(requests -> CompletableFuture.completedFuture(List.of()), ONE_IN_FLIGHT);

        assertThatThrownBy(batcher.ask("a")::now)
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("number of results");
    }

    @Test
    void aQuestionThatWaitedTooLong_isTurnedAwayUnasked() {
        var nanos = new AtomicLong(-5);
        var batcher =
                new Batcher<>(backend, question -> 1, ONE_IN_FLIGHT.withLongestWait(Duration.ofNanos(10)), nanos::get);
        batcher.ask("a");
        var late = batcher.ask("b");
        nanos.addAndGet(1);
        var inTime = batcher.ask("c");
        nanos.addAndGet(10);

        backend.answerOldest();
        backend.answerOldest();

        assertThatThrownBy(late::now)
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("was queued for more than");
        assertThat(inTime.now()).isEqualTo("C");
        assertThat(backend.asked).containsExactly(List.of("a"), List.of("c"));
    }

    @Test
    void moreThanMayWait_areTurnedAwayAtOnce() {
        var batcher = new Batcher<>(backend, ONE_IN_FLIGHT.withMostWaiting(2));
        batcher.ask("a");
        var waits = List.of(batcher.ask("b"), batcher.ask("c"));

        var tooMany = batcher.ask("d");

        assertThatThrownBy(tooMany::now).isInstanceOf(StoreException.class).hasMessageContaining("more than 2");
        backend.answerOldest();
        backend.answerOldest();
        assertThat(waits).map(Answer::now).containsExactly("B", "C");
        assertThat(batcher.ask("e").isDone()).isFalse();
    }

    @Test
    void close_turnsAwayWhatWaitsAndLetsArriveWhatIsUnderWay() {
        var batcher = new Batcher<>(backend, ONE_IN_FLIGHT);
        var underWay = batcher.ask("a");
        var waits = batcher.ask("b");

        batcher.close();
        var late = batcher.ask("c");
        backend.answerOldest();

        assertThat(underWay.now()).isEqualTo("A");
        assertThatThrownBy(waits::now).isInstanceOf(StoreException.class).hasMessageContaining("closed");
        assertThatThrownBy(late::now).isInstanceOf(StoreException.class).hasMessageContaining("closed");
        assertThat(backend.asked).containsExactly(List.of("a"));
    }

    @Test
    void tripsThatEndAtOnce_doNotNestHoweverManyFollow() {
        var first = new CompletableFuture<List<Integer>>();
        var batcher = new Batcher<Integer, Integer>(
                requests -> requests.contains(0) ? first : CompletableFuture.completedFuture(requests),
                ONE_IN_FLIGHT.withMaxBatch(1).withMostWaiting(100_000).withLongestWait(Duration.ofMinutes(1)));
        var answers = IntStream.range(0, 100_000).mapToObj(batcher::ask).toList();

        first.complete(List.of(0));

        assertThat(answers).allMatch(Answer::isDone);
        assertThat(answers.get(99_999).now()).isEqualTo(99_999);
    }

    @Test
    void thread_thatSentItsOwnBatch_leavesTheOthersToTheRelay() {
        Queue<Runnable> relayed = new ArrayDeque<>();
        var busy = new BusyBackend(ONE_IN_FLIGHT.withRelay(relayed::add));

        assertThat(busy.batcher.ask("mine").now()).isEqualTo("MINE");
        Answer<String> others = busy.others.remove();

        assertThat(others.isDone()).isFalse();
        relayed.remove().run();
        assertThat(others.now()).isEqualTo("OTHERS");
        assertThat(relayed).isEmpty();
    }

    @Test
    void aDriver_takesAlongWhateverWaitsWhenItLeaves() {
        Queue<Runnable> executor = new ArrayDeque<>();
        var batcher = new Batcher<>(backend, ONE_IN_FLIGHT.withExecutor(executor::add));
        batcher.ask("a");
        batcher.ask("b");
        assertThat(backend.asked).isEmpty();

        executor.remove().run();

        assertThat(backend.asked).containsExactly(List.of("a", "b"));
        assertThat(executor).isEmpty();
    }

    @Test
    void whenThereAreNoDrivers_whoAsksDrives() {
        Executor shut = task -> {
            throw new RejectedExecutionException("shut");
        };
        var batcher = new Batcher<>(backend, ONE_IN_FLIGHT.withExecutor(shut));

        batcher.ask("a");

        assertThat(backend.asked).containsExactly(List.of("a"));
    }

    @Test
    void whenTheRelayIsShut_nobodyIsStranded() {
        Executor shut = task -> {
            throw new RejectedExecutionException("shut");
        };
        var busy = new BusyBackend(ONE_IN_FLIGHT.withRelay(shut));

        assertThat(busy.batcher.ask("mine").now()).isEqualTo("MINE");
        assertThat(busy.others.remove().now()).isEqualTo("OTHERS");
    }

    @ParameterizedTest
    @CsvSource({"1, false, 0", "3, false, 0", "1, true, 0", "2, true, 0", "2, false, 4", "3, false, 1", "2, true, 4"})
    void manyThreads_getEachItsOwnAnswerAndNobodyIsStranded(int maxInFlight, boolean driven, int minConcurrentBatch)
            throws Exception {
        var threads = 16;
        var each = 5_000;
        var pool = Executors.newFixedThreadPool(2);
        try {
            var options = ONE_IN_FLIGHT
                    .withMaxInFlight(maxInFlight)
                    .withMinConcurrentBatch(minConcurrentBatch)
                    .withMaxBatch(7)
                    .withLongestWait(Duration.ofMinutes(1));
            var batcher = driven
                    ? new Batcher<Integer, Integer>(
                            requests -> CompletableFuture.completedFuture(List.copyOf(requests)),
                            options.withExecutor(pool))
                    : new Batcher<Integer, Integer>(
                            requests -> CompletableFuture.supplyAsync(() -> List.copyOf(requests), pool), options);
            var wrong = new AtomicInteger();
            var done = new CountDownLatch(threads);
            for (int t = 0; t < threads; t++) {
                int base = t * each;
                new Thread(() -> {
                            for (int i = 0; i < each; i++) {
                                if (batcher.ask(base + i).await(Duration.ofSeconds(30)) != base + i) {
                                    wrong.incrementAndGet();
                                }
                            }
                            done.countDown();
                        })
                        .start();
            }

            assertThat(done.await(90, TimeUnit.SECONDS)).isTrue();
            assertThat(wrong).hasValue(0);
            assertThat(batcher.batchedRequests()).isEqualTo((long) threads * each);
            assertThat(batcher.batches()).isLessThanOrEqualTo(batcher.batchedRequests());
            assertThat(batcher.waiting()).isZero();
        } finally {
            pool.shutdownNow();
        }
    }

    @Test
    void options_sayWhatTheyNeed() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ONE_IN_FLIGHT.withMaxInFlight(0))
                .withMessage("maxInFlight is 0; it must be at least 1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ONE_IN_FLIGHT.withLongestWait(Duration.ZERO))
                .withMessage("longestWait is 0s; it must be positive");
    }

    /** A backend that responds in upper case when the test completes it. */
    private static final class Backend implements BatchCall<String, String> {
        private final List<List<String>> asked = new ArrayList<>();
        private final ArrayDeque<Call> open = new ArrayDeque<>();

        @Override
        public CompletionStage<List<String>> execute(List<String> requests) {
            asked.add(requests);
            var call = new Call(requests, new CompletableFuture<>());
            open.add(call);
            return call.answer;
        }

        private void answerOldest() {
            open.removeFirst().shoutBack();
        }

        private void answerNewest() {
            open.removeLast().shoutBack();
        }

        private void failOldest(Throwable failure) {
            open.removeFirst().answer.completeExceptionally(failure);
        }

        private record Call(List<String> requests, CompletableFuture<List<String>> answer) {
            private void shoutBack() {
                answer.complete(shouted(requests));
            }
        }
    }

    /** A backend that responds in upper case at once; other requests arrive during its first batch. */
    private static final class BusyBackend {
        private final Queue<Answer<String>> others = new ArrayDeque<>();
        private final Batcher<String, String> batcher;

        private BusyBackend(BatcherOptions options) {
            batcher = new Batcher<>(this::call, options);
        }

        private CompletionStage<List<String>> call(List<String> requests) {
            if (requests.contains("mine")) {
                others.add(batcher.ask("others"));
            }
            return CompletableFuture.completedFuture(shouted(requests));
        }
    }

    private static List<String> shouted(List<String> requests) {
        return requests.stream().map(each -> each.toUpperCase(Locale.ROOT)).toList();
    }
}
