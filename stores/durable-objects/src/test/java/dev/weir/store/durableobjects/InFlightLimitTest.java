package dev.weir.store.durableobjects;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class InFlightLimitTest {
    private final InFlightLimit gate = new InFlightLimit(2);
    private final List<CompletableFuture<String>> sent = new ArrayList<>();

    private CompletableFuture<String> ask() {
        return gate.pass(() -> {
            CompletableFuture<String> request = new CompletableFuture<>();
            sent.add(request);
            return request;
        });
    }

    @Test
    void pass_beyondTheBound_waitsUntilSomebodyLeaves() {
        List<CompletableFuture<String>> asked = List.of(ask(), ask(), ask(), ask());
        assertThat(sent).hasSize(2);
        sent.get(1).complete("b");
        assertThat(asked.get(1)).isCompletedWithValue("b");
        assertThat(sent).hasSize(3);
        sent.get(0).completeExceptionally(new IllegalStateException("a"));
        assertThat(asked.get(0)).isCompletedExceptionally();
        assertThat(sent).hasSize(4);
        sent.get(3).complete("d");
        assertThat(asked.get(3)).isCompletedWithValue("d");
    }

    @Test
    void pass_givenUpWhileItWaits_isNeverSent() {
        ask();
        ask();
        CompletableFuture<String> givenUp = ask();
        CompletableFuture<String> next = ask();
        givenUp.cancel(true);
        sent.get(0).complete("a");
        assertThat(sent).hasSize(3);
        sent.get(2).complete("d");
        assertThat(next).isCompletedWithValue("d");
    }

    @Test
    void pass_givenUpWhileItIsUnderWay_givesUpTheRequestAndItsPlace() {
        CompletableFuture<String> givenUp = ask();
        ask();
        ask();
        givenUp.cancel(true);
        assertThat(sent.get(0)).isCancelled();
        assertThat(sent).hasSize(3);
    }

    @Test
    void pass_ofThousandsThatFailAtOnce_neitherStopsNorOverflows() {
        ask();
        ask();
        List<CompletableFuture<String>> failing = IntStream.range(0, 50_000)
                .mapToObj(
                        i -> gate.<String>pass(() -> CompletableFuture.failedFuture(new IllegalStateException("late"))))
                .toList();
        CompletableFuture<String> throwing = gate.pass(() -> {
            throw new IllegalArgumentException("no request");
        });
        CompletableFuture<String> last = ask();
        sent.get(0).complete("a");
        assertThat(failing).allMatch(CompletableFuture::isCompletedExceptionally);
        assertThat(throwing).isCompletedExceptionally();
        sent.get(2).complete("last");
        assertThat(last).isCompletedWithValue("last");
    }

    @Test
    void pass_fromManyThreads_neverLetsInMoreThanItMay() {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        CompletableFuture<?>[] all = IntStream.range(0, 2_000)
                .mapToObj(i -> CompletableFuture.supplyAsync(() -> gate.pass(() -> CompletableFuture.supplyAsync(() -> {
                            most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                            return inside.decrementAndGet();
                        })))
                        .thenCompose(answer -> answer))
                .toArray(CompletableFuture[]::new);
        CompletableFuture.allOf(all)
                .orTimeout(90, java.util.concurrent.TimeUnit.SECONDS)
                .join();
        assertThat(most.get()).isBetween(1, 2);
    }
}
