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

class CombinerTest {
    private static final CombinerOptions ONE_LANE = CombinerOptions.defaults();

    private final Backend backend = new Backend();

    @Test
    void aLoneQuestion_leavesAtOnceAndAlone() {
        var combiner = new Combiner<>(backend, ONE_LANE);

        Answer<String> answer = combiner.ask("a");

        assertThat(backend.asked).containsExactly(List.of("a"));
        assertThat(answer.isDone()).isFalse();
        backend.answerOldest();
        assertThat(answer.now()).isEqualTo("A");
    }

    @Test
    void ask_withAReader_answersWhatIsMadeOfIt() {
        var combiner = new Combiner<>(backend, ONE_LANE);

        Answer<Integer> length = combiner.ask("abc", answer -> Answer.of(answer.length()));
        Answer<String> later = combiner.ask("d", answer -> combiner.ask(answer + "!"));
        Answer<String> misuse = combiner.ask("e", answer -> Promise.misuse(new IllegalArgumentException(answer)));
        Answer<String> broken = combiner.ask("f", answer -> {
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
        var combiner = new Combiner<>(backend, ONE_LANE);
        var first = combiner.ask("a");
        var later = List.of(combiner.ask("b"), combiner.ask("c"), combiner.ask("d"));
        assertThat(backend.asked).containsExactly(List.of("a"));

        backend.answerOldest();

        assertThat(first.now()).isEqualTo("A");
        assertThat(backend.asked).containsExactly(List.of("a"), List.of("b", "c", "d"));
        backend.answerOldest();
        assertThat(later).map(Answer::now).containsExactly("B", "C", "D");
        assertThat(combiner.trips()).isEqualTo(2);
        assertThat(combiner.carried()).isEqualTo(4);
        assertThat(combiner.waiting()).isZero();
    }

    @Test
    void whoAsksAgainWhenAnswered_joinsTheNextTrip() {
        var combiner = new Combiner<>(backend, ONE_LANE);
        combiner.ask("a").whenDone((answer, failure) -> combiner.ask("again"));
        combiner.ask("b");

        backend.answerOldest();

        assertThat(backend.asked).containsExactly(List.of("a"), List.of("b", "again"));
    }

    @Test
    void asManyTripsAsLanes_areUnderWay() {
        var combiner = new Combiner<>(backend, ONE_LANE.withLanes(2));
        combiner.ask("a");
        combiner.ask("b");
        combiner.ask("c");
        combiner.ask("d");

        assertThat(backend.asked).containsExactly(List.of("a"), List.of("b"));
        backend.answerNewest();
        assertThat(backend.asked).containsExactly(List.of("a"), List.of("b"), List.of("c", "d"));
    }

    /**
     * At most two batches in flight, three with callbacks. Another batch starts only for three different requests.
     * Requests with the same first letter count as the same.
     */
    private Combiner<String, String> sharing() {
        Weigher<String> sameLetter = new Weigher<>() {
            @Override
            public int weight(String question) {
                return 1;
            }

            @Override
            public boolean isLightBeside(String other, String question) {
                return other.charAt(0) == question.charAt(0);
            }
        };
        return new Combiner<>(backend, sameLetter, ONE_LANE.withLanes(2, 3).withLeastBeside(3));
    }

    /** Makes so many calls with callbacks, without a waiting thread. */
    private void callBack(Combiner<String, String> combiner) {
        for (int i = 0; i < Combiner.UNTIL_CALLED_BACK; i++) {
            combiner.ask("a").whenDone((answer, failure) -> {});
            backend.answerOldest();
        }
    }

    @Test
    void equalQuestions_withCallbacks_shareSeveralCalls() {
        var combiner = sharing();
        callBack(combiner);

        for (int i = 0; i < 12; i++) {
            combiner.ask("a" + i);
        }

        assertThat(backend.open).as("calls in flight").hasSize(3);
    }

    @Test
    void equalQuestions_onceAThreadWaits_areOneCall() throws InterruptedException {
        var combiner = sharing();
        callBack(combiner);
        var first = combiner.ask("a");
        var thread = new Thread(() -> first.await(Duration.ofSeconds(30)));
        thread.start();
        while (thread.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        backend.answerOldest();
        thread.join();

        for (int i = 0; i < 12; i++) {
            combiner.ask("a" + i);
        }

        assertThat(backend.open).as("calls in flight").hasSize(1);
    }

    @Test
    void whatWaits_isSharedByLanes_ifItIsEnoughForBoth() {
        var combiner = sharing();
        for (String each : List.of("a", "b", "c", "d", "e", "f", "g")) {
            combiner.ask(each);
        }
        assertThat(backend.asked).as("nobody knew that so many would come").containsExactly(List.of("a"));

        backend.answerOldest();

        assertThat(backend.asked.subList(1, 3))
                .containsExactlyInAnyOrder(List.of("b", "c", "d"), List.of("e", "f", "g"));
        combiner.ask("h");
        backend.answerOldest();
        assertThat(backend.asked)
                .as("the lane that is back takes it along")
                .hasSize(4)
                .contains(List.of("h"));
    }

    @Test
    void little_waitsForTheTripThatIsUnderWay() {
        var combiner = sharing();
        combiner.ask("a");
        for (String each : List.of("b", "c", "d", "e")) {
            combiner.ask(each);
        }
        backend.answerOldest();
        combiner.ask("f");
        combiner.ask("g");

        assertThat(backend.asked).containsExactly(List.of("a"), List.of("b", "c", "d", "e"));
        combiner.ask("h");
        assertThat(backend.asked).hasSize(3).contains(List.of("f", "g", "h"));
    }

    @Test
    void theSame_travelsTogetherHoweverMuchItIs() {
        var combiner = sharing();
        combiner.ask("a");
        List<String> same = IntStream.range(0, 20).mapToObj(i -> "b" + i).toList();
        same.forEach(combiner::ask);

        backend.answerOldest();
        same.forEach(combiner::ask);

        assertThat(backend.asked).containsExactly(List.of("a"), same);
        backend.answerOldest();
        assertThat(backend.asked).containsExactly(List.of("a"), same, same);
    }

    @Test
    void aTrip_isFullOnceItsQuestionsWeighEnough() {
        var combiner = new Combiner<>(backend, String::length, ONE_LANE.withMostTogether(3));
        combiner.ask("-");
        for (String each : List.of("a", "bb", "c", "dddddd", "e")) {
            combiner.ask(each);
        }

        for (int i = 0; i < 4; i++) {
            backend.answerOldest();
        }

        assertThat(backend.asked)
                .containsExactly(List.of("-"), List.of("a", "bb"), List.of("c", "dddddd"), List.of("e"));
    }

    @Test
    void aFailedTrip_failsItsOwnQuestionsOnly() {
        var combiner = new Combiner<>(backend, ONE_LANE);
        var first = combiner.ask("a");
        var second = combiner.ask("b");

        backend.failOldest(new StoreException("gone", true, null));

        assertThatThrownBy(first::now).isInstanceOf(StoreException.class).hasMessage("gone");
        backend.answerOldest();
        assertThat(second.now()).isEqualTo("B");
    }

    @Test
    void aFailureOfAnotherKind_isAFailureOfTheStore() {
        var combiner = new Combiner<>(backend, ONE_LANE);
        var answer = combiner.ask("a");

        backend.failOldest(new IllegalStateException("a bug"));

        assertThatThrownBy(answer::now)
                .isInstanceOf(StoreException.class)
                .hasRootCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    void aTripThatThrows_failsItsQuestionsAndFreesItsLane() {
        var calls = new AtomicInteger();
        var combiner = new Combiner<String, String>(
                questions -> {
                    if (calls.getAndIncrement() == 0) {
                        throw new IllegalStateException("cannot leave");
                    }
                    return CompletableFuture.completedFuture(questions);
                },
                ONE_LANE);

        assertThatThrownBy(combiner.ask("a")::now).isInstanceOf(StoreException.class);
        assertThat(combiner.ask("b").now()).isEqualTo("b");
    }

    @Test
    void anotherNumberOfAnswersThanQuestions_isAFailure() {
        var combiner =
                new Combiner<String, String>(questions -> CompletableFuture.completedFuture(List.of()), ONE_LANE);

        assertThatThrownBy(combiner.ask("a")::now)
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("number of answers");
    }

    @Test
    void aQuestionThatWaitedTooLong_isTurnedAwayUnasked() {
        var nanos = new AtomicLong(-5);
        var combiner =
                new Combiner<>(backend, question -> 1, ONE_LANE.withLongestWait(Duration.ofNanos(10)), nanos::get);
        combiner.ask("a");
        var late = combiner.ask("b");
        nanos.addAndGet(1);
        var inTime = combiner.ask("c");
        nanos.addAndGet(10);

        backend.answerOldest();
        backend.answerOldest();

        assertThatThrownBy(late::now).isInstanceOf(StoreException.class).hasMessageContaining("did not get to");
        assertThat(inTime.now()).isEqualTo("C");
        assertThat(backend.asked).containsExactly(List.of("a"), List.of("c"));
    }

    @Test
    void moreThanMayWait_areTurnedAwayAtOnce() {
        var combiner = new Combiner<>(backend, ONE_LANE.withMostWaiting(2));
        combiner.ask("a");
        var waits = List.of(combiner.ask("b"), combiner.ask("c"));

        var tooMany = combiner.ask("d");

        assertThatThrownBy(tooMany::now).isInstanceOf(StoreException.class).hasMessageContaining("more than 2");
        backend.answerOldest();
        backend.answerOldest();
        assertThat(waits).map(Answer::now).containsExactly("B", "C");
        assertThat(combiner.ask("e").isDone()).isFalse();
    }

    @Test
    void close_turnsAwayWhatWaitsAndLetsArriveWhatIsUnderWay() {
        var combiner = new Combiner<>(backend, ONE_LANE);
        var underWay = combiner.ask("a");
        var waits = combiner.ask("b");

        combiner.close();
        var late = combiner.ask("c");
        backend.answerOldest();

        assertThat(underWay.now()).isEqualTo("A");
        assertThatThrownBy(waits::now).isInstanceOf(StoreException.class).hasMessageContaining("closed");
        assertThatThrownBy(late::now).isInstanceOf(StoreException.class).hasMessageContaining("closed");
        assertThat(backend.asked).containsExactly(List.of("a"));
    }

    @Test
    void tripsThatEndAtOnce_doNotNestHoweverManyFollow() {
        var first = new CompletableFuture<List<Integer>>();
        var combiner = new Combiner<Integer, Integer>(
                questions -> questions.contains(0) ? first : CompletableFuture.completedFuture(questions),
                ONE_LANE.withMostTogether(1).withMostWaiting(100_000).withLongestWait(Duration.ofMinutes(1)));
        var answers = IntStream.range(0, 100_000).mapToObj(combiner::ask).toList();

        first.complete(List.of(0));

        assertThat(answers).allMatch(Answer::isDone);
        assertThat(answers.get(99_999).now()).isEqualTo(99_999);
    }

    @Test
    void aThreadThatMadeItsOwnTrip_leavesTheOthersToTheRelay() {
        Queue<Runnable> relayed = new ArrayDeque<>();
        var busy = new BusyBackend(ONE_LANE.withRelay(relayed::add));

        assertThat(busy.combiner.ask("mine").now()).isEqualTo("MINE");
        Answer<String> others = busy.others.remove();

        assertThat(others.isDone()).isFalse();
        relayed.remove().run();
        assertThat(others.now()).isEqualTo("OTHERS");
        assertThat(relayed).isEmpty();
    }

    @Test
    void aDriver_takesAlongWhateverWaitsWhenItLeaves() {
        Queue<Runnable> drivers = new ArrayDeque<>();
        var combiner = new Combiner<>(backend, ONE_LANE.withDrivers(drivers::add));
        combiner.ask("a");
        combiner.ask("b");
        assertThat(backend.asked).isEmpty();

        drivers.remove().run();

        assertThat(backend.asked).containsExactly(List.of("a", "b"));
        assertThat(drivers).isEmpty();
    }

    @Test
    void whenThereAreNoDrivers_whoAsksDrives() {
        Executor shut = task -> {
            throw new RejectedExecutionException("shut");
        };
        var combiner = new Combiner<>(backend, ONE_LANE.withDrivers(shut));

        combiner.ask("a");

        assertThat(backend.asked).containsExactly(List.of("a"));
    }

    @Test
    void whenTheRelayIsShut_nobodyIsStranded() {
        Executor shut = task -> {
            throw new RejectedExecutionException("shut");
        };
        var busy = new BusyBackend(ONE_LANE.withRelay(shut));

        assertThat(busy.combiner.ask("mine").now()).isEqualTo("MINE");
        assertThat(busy.others.remove().now()).isEqualTo("OTHERS");
    }

    @ParameterizedTest
    @CsvSource({"1, false, 0", "3, false, 0", "1, true, 0", "2, true, 0", "2, false, 4", "3, false, 1", "2, true, 4"})
    void manyThreads_getEachItsOwnAnswerAndNobodyIsStranded(int lanes, boolean driven, int leastBeside)
            throws Exception {
        var threads = 16;
        var each = 5_000;
        var pool = Executors.newFixedThreadPool(2);
        try {
            var options = ONE_LANE.withLanes(lanes)
                    .withLeastBeside(leastBeside)
                    .withMostTogether(7)
                    .withLongestWait(Duration.ofMinutes(1));
            var combiner = driven
                    ? new Combiner<Integer, Integer>(
                            questions -> CompletableFuture.completedFuture(List.copyOf(questions)),
                            options.withDrivers(pool))
                    : new Combiner<Integer, Integer>(
                            questions -> CompletableFuture.supplyAsync(() -> List.copyOf(questions), pool), options);
            var wrong = new AtomicInteger();
            var done = new CountDownLatch(threads);
            for (int t = 0; t < threads; t++) {
                int base = t * each;
                new Thread(() -> {
                            for (int i = 0; i < each; i++) {
                                if (combiner.ask(base + i).await(Duration.ofSeconds(30)) != base + i) {
                                    wrong.incrementAndGet();
                                }
                            }
                            done.countDown();
                        })
                        .start();
            }

            assertThat(done.await(90, TimeUnit.SECONDS)).isTrue();
            assertThat(wrong).hasValue(0);
            assertThat(combiner.carried()).isEqualTo((long) threads * each);
            assertThat(combiner.trips()).isLessThanOrEqualTo(combiner.carried());
            assertThat(combiner.waiting()).isZero();
        } finally {
            pool.shutdownNow();
        }
    }

    @Test
    void options_sayWhatTheyNeed() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ONE_LANE.withLanes(0))
                .withMessage("lanes must be at least 1, not 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ONE_LANE.withLongestWait(Duration.ZERO))
                .withMessage("longestWait must be above zero, not PT0S");
    }

    /** A backend that responds in upper case when the test completes it. */
    private static final class Backend implements Trip<String, String> {
        private final List<List<String>> asked = new ArrayList<>();
        private final ArrayDeque<Call> open = new ArrayDeque<>();

        @Override
        public CompletionStage<List<String>> make(List<String> questions) {
            asked.add(questions);
            var call = new Call(questions, new CompletableFuture<>());
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

        private record Call(List<String> questions, CompletableFuture<List<String>> answer) {
            private void shoutBack() {
                answer.complete(shouted(questions));
            }
        }
    }

    /** A backend that responds in upper case at once; other requests arrive during its first batch. */
    private static final class BusyBackend {
        private final Queue<Answer<String>> others = new ArrayDeque<>();
        private final Combiner<String, String> combiner;

        private BusyBackend(CombinerOptions options) {
            combiner = new Combiner<>(this::trip, options);
        }

        private CompletionStage<List<String>> trip(List<String> questions) {
            if (questions.contains("mine")) {
                others.add(combiner.ask("others"));
            }
            return CompletableFuture.completedFuture(shouted(questions));
        }
    }

    private static List<String> shouted(List<String> questions) {
        return questions.stream().map(each -> each.toUpperCase(Locale.ROOT)).toList();
    }
}
