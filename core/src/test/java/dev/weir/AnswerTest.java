package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.remote.Promise;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class AnswerTest {
    private static final StoreException FAILURE = new StoreException("gone", true, null);

    private final Promise<String> pending = new Promise<>();

    @Test
    void await_whatIsHere_returnsIt() {
        assertThat(Answer.of("here").await()).isEqualTo("here");
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> Promise.failed(FAILURE).await())
                .isSameAs(FAILURE);
    }

    @Test
    void await_whatIsPending_waitsForIt() throws Exception {
        CompletableFuture<String> waiting = CompletableFuture.supplyAsync(pending::await);
        assertThat(waiting.isDone()).isFalse();
        pending.complete("later");
        assertThat(waiting.get(20, TimeUnit.SECONDS)).isEqualTo("later");
    }

    @Test
    void await_interrupted_failsAtOnce() {
        Thread.currentThread().interrupt();
        assertThatExceptionOfType(StoreException.class).isThrownBy(pending::await);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void toCompletionStage_completesWithTheAnswer() {
        CompletableFuture<String> stage =
                pending.toCompletionStage().thenApply(text -> text + "!").toCompletableFuture();
        assertThat(stage).isNotDone();
        pending.complete("later");
        assertThat(stage).isCompletedWithValue("later!");
        assertThat(Answer.of("here").toCompletionStage()).isCompletedWithValue("here");
    }

    @Test
    void toCompletionStage_failsWithTheFailure() {
        CompletableFuture<String> stage = pending.toCompletionStage().toCompletableFuture();
        pending.fail(FAILURE);
        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(stage::join)
                .withCause(FAILURE);
    }

    /** Cancellation by one caller does not affect the others. */
    @Test
    void toCompletionStage_cancelled_leavesTheAnswer() {
        pending.toCompletionStage().toCompletableFuture().cancel(true);
        pending.complete("later");
        assertThat(pending.now()).isEqualTo("later");
        assertThat(pending.toCompletionStage()).isCompletedWithValue("later");
    }
}
