package dev.weir.store.durableobjects;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Answer;
import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.FixedWindow;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.Settlement;
import dev.weir.SlidingWindow;
import dev.weir.TokenBucket;
import dev.weir.testkit.model.ModelTime;
import dev.weir.testkit.model.ReferenceModel;
import dev.weir.testkit.model.Timing;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Behavior of a store with many shards behind a network. */
@Tag("io")
class DurableObjectsStoreTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(90);
    private static final Policy TEN = TokenBucket.of(10, 1, Duration.ofHours(1));

    private final DurableObjectsStoreOptions options = SharedWorker.options();
    private final DurableObjectsStore here = DurableObjectsStore.open(options);
    private final DurableObjectsStore there = DurableObjectsStore.open(options);

    @AfterEach
    void close() {
        here.close();
        there.close();
    }

    @Test
    void consume_fifteenAtOnceOnTwoNodes_admitsExactlyTen() {
        List<Charge> one = List.of(Charge.of(Key.of("messages", "u1"), TEN));
        List<CompletableFuture<Decision>> asked = IntStream.range(0, 15)
                .mapToObj(i -> CompletableFuture.supplyAsync(
                        () -> (i % 2 == 0 ? here : there).consume(one).await(TIMEOUT)))
                .toList();
        assertThat(asked.stream().filter(each -> each.join().admitted())).hasSize(10);
    }

    @Test
    void consume_ofOneHolderAtWhateverMoment_answersAsTheModelDoesForThatMoment() {
        ReferenceModel model = Timing.inDoubles(Instant.EPOCH).newModel();
        SplittableRandom random = new SplittableRandom(1);
        List<Policy> policies = List.of(
                TokenBucket.of(50, 7_000, Duration.ofSeconds(1)),
                TokenBucket.of(100, 9_973, Duration.ofSeconds(1)),
                FixedWindow.of(20, Duration.ofMillis(20)),
                SlidingWindow.of(30, Duration.ofMillis(20)),
                SlidingWindow.of(1_000, Duration.ofMillis(500)));
        for (int i = 0; i < 500; i++) {
            List<Charge> charges = new ArrayList<>();
            for (Policy policy : policies) {
                if (random.nextInt(3) == 0 || charges.isEmpty()) {
                    charges.add(new Charge(
                            Key.of(policy.toString(), "one"), policy, 1 + random.nextLong(policy.capacity() / 3)));
                }
            }
            Decision decision = here.consume(charges).await(TIMEOUT);
            ModelTime moment = new ModelTime(decision.time() * 1_000, decision.time() * 1_000);
            assertThat(decision.readings())
                    .as("step %s: %s", i, charges)
                    .isEqualTo(model.consume(charges, moment).readings());
        }
    }

    @Test
    void consume_overManyShards_spendsAllOrNothing() {
        List<Charge> many = IntStream.range(0, 40)
                .mapToObj(i -> Charge.of(Key.of("spread", "u" + i), TEN))
                .toList();
        assertThat(here.consume(many).await(TIMEOUT).admitted()).isTrue();
        assertThat(there.consume(List.of(new Charge(Key.of("spread", "u17"), TEN, 9)))
                        .await(TIMEOUT)
                        .admitted())
                .isTrue();
        Decision refused = here.consume(many).await(TIMEOUT);
        assertThat(refused.admitted()).isFalse();
        assertThat(refused.reading(17).remaining()).isZero();
        assertThat(refused.reading(0).remaining()).isEqualTo(9);
        assertThat(there.peek(many).await(TIMEOUT).reading(39).remaining()).isEqualTo(9);
    }

    @Test
    void settle_onAnotherNodeOverSeveralShards_findsAllParts() {
        List<Charge> many = IntStream.range(0, 5)
                .mapToObj(i -> new Charge(Key.of("tokens" + i, "holder" + i), TEN, 5))
                .toList();
        assertThat(here.reserve("id-1", many, Duration.ofMinutes(5))
                        .await(TIMEOUT)
                        .admitted())
                .isTrue();
        assertThat(there.settle("id-1", Map.of("tokens0", 1L, "tokens4", 2L)).await(TIMEOUT))
                .isEqualTo(Settlement.DONE);
        Decision after = here.peek(many).await(TIMEOUT);
        assertThat(after.readings()).extracting(reading -> reading.remaining()).containsExactly(9L, 5L, 5L, 5L, 8L);
        assertThat(there.settle("id-1", Map.of()).await(TIMEOUT)).isEqualTo(Settlement.ALREADY_CLOSED);
        assertThat(there.cancel("id-nobody-has").await(TIMEOUT)).isEqualTo(Settlement.UNKNOWN);
    }

    @Test
    void settle_ofKeysOfAnyLength_findsThem() {
        String endless = "x".repeat(100_000);
        List<Charge> charges =
                List.of(new Charge(Key.of(endless, "u1"), TEN, 5), new Charge(Key.of("tokens", endless), TEN, 5));
        assertThat(here.reserve("id-2", charges, Duration.ofMinutes(5))
                        .await(TIMEOUT)
                        .admitted())
                .isTrue();
        assertThat(there.settle("id-2", Map.of(endless, 1L, "tokens", 2L)).await(TIMEOUT))
                .isEqualTo(Settlement.DONE);
        assertThat(here.peek(charges).await(TIMEOUT).readings())
                .extracting(reading -> reading.remaining())
                .containsExactly(9L, 8L);
    }

    @Test
    void consume_ofHostileKeys_keepsThemApart() {
        List<String> hostile = List.of(
                "",
                " ",
                "a",
                "a ",
                "A",
                "a:b",
                "a%3Ab",
                "{a}",
                "__proto__",
                "constructor",
                "' OR 1=1 --",
                "\u0000",
                "\uD800",
                "ü",
                "u\u0308",
                "\r\nweir",
                "x".repeat(5_000),
                "x".repeat(5_001),
                "../../settings/weir",
                "💧");
        for (String id : hostile) {
            List<Charge> charge = List.of(Charge.of(Key.of("hostile", id), TEN));
            assertThat(here.consume(charge).await(TIMEOUT).reading(0).remaining())
                    .as(id)
                    .isEqualTo(9);
            assertThat(there.peek(charge).await(TIMEOUT).reading(0).remaining()).isEqualTo(9);
        }
        for (String id : hostile.subList(1, hostile.size())) {
            List<Charge> charge = List.of(new Charge(Key.of("hostile", "x"), TEN, 3));
            String reservation = id.length() > 256 ? id.substring(0, 256) : id;
            if (here.reserve(reservation, charge, Duration.ofMinutes(1))
                    .await(TIMEOUT)
                    .admitted()) {
                assertThat(there.cancel(reservation).await(TIMEOUT)).isIn(Settlement.DONE, Settlement.ALREADY_CLOSED);
            }
        }
    }

    @Test
    void consume_ofManyLongKeysAtOnce_isMoreThanOneCall() {
        List<Answer<Decision>> asked = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            // One holder's limits are in one shard; together they are more than one call may be.
            asked.add(here.consume(List.of(Charge.of(Key.of("limit" + i + "ü".repeat(1_990), "u1"), TEN))));
        }
        for (Answer<Decision> each : asked) {
            assertThat(each.await(TIMEOUT).reading(0).remaining()).isEqualTo(9);
        }
    }

    @Test
    void reset_ofThousandsOfKeys_isMoreThanOneCall() {
        List<Key> keys = IntStream.range(0, 5_000)
                .mapToObj(i -> Key.of("limit" + i, "u1"))
                .toList();
        List<Charge> last = List.of(new Charge(keys.get(4_999), TEN, 10));
        assertThat(here.consume(last).await(TIMEOUT).admitted()).isTrue();
        assertThat(there.reset(keys).await(TIMEOUT)).isTrue();
        assertThat(here.consume(last).await(TIMEOUT).admitted()).isTrue();
    }
}
