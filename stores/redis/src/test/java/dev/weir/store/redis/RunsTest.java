package dev.weir.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Charge;
import dev.weir.Concurrency;
import dev.weir.Decision;
import dev.weir.FixedWindow;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.Reading;
import dev.weir.StoreException;
import dev.weir.TokenBucket;
import dev.weir.testkit.model.ModelDecision;
import dev.weir.testkit.model.ModelTime;
import dev.weir.testkit.model.ReferenceModel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Many requests in one call: equal ones as a run, others between them. Each result equals the model's for single
 * requests.
 */
@Tag("io")
class RunsTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(90);

    @Test
    void consume_manyAtOnce_answersAsOneAfterAnotherInSomeOrder() {
        SplittableRandom random = new SplittableRandom(3);
        for (int round = 0; round < 60; round++) {
            try (RedisUnderTest trial = new RedisUnderTest(SharedRedis.options())) {
                check(trial, random);
            }
        }
    }

    /** Time stands still and costs on a key are equal, so that any order admits the same number with the same readings. */
    private static void check(RedisUnderTest trial, SplittableRandom random) {
        Policy policy = random.nextBoolean()
                ? TokenBucket.of(
                        1 + random.nextInt(40), 1 + random.nextInt(9), Duration.ofMillis(1 + random.nextInt(5_000)))
                : TokenBucket.of(20, 999_983, Duration.ofDays(1));
        Policy window = FixedWindow.of(7, Duration.ofSeconds(3));
        boolean mixed = random.nextBoolean();
        long cost = 1 + random.nextInt(3);
        ReferenceModel model = trial.timing().newModel();
        ModelTime now = trial.timing().start();
        for (int wave = 0; wave < 4; wave++) {
            List<Charge> asked = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                boolean other = mixed && i % 7 == 0;
                asked.add(new Charge(
                        Key.of(other ? "window" : "bucket" + i % 2), other ? window : policy, other ? 1 : cost));
            }
            List<dev.weir.Answer<Decision>> answers = asked.stream()
                    .map(charge -> trial.store().consume(List.of(charge)))
                    .toList();
            List<String> told = new ArrayList<>();
            List<String> expected = new ArrayList<>();
            for (int i = 0; i < asked.size(); i++) {
                Key key = asked.get(i).key();
                told.add(key.scope() + answers.get(i).await(TIMEOUT).readings());
                ModelDecision verdict = model.consume(List.of(asked.get(i)), now);
                expected.add(key.scope() + verdict.readings());
            }
            told.sort(Comparator.naturalOrder());
            expected.sort(Comparator.naturalOrder());
            assertThat(told).isEqualTo(expected);
            Duration pause = Duration.ofMillis(random.nextInt(2_000));
            trial.advance(pause);
            now = now.plus(pause);
        }
    }

    /** The script asks about the policy for the first of them; the others must not take it for known. */
    @Test
    void consume_manyOfAPolicyThatIsMetForTheFirstTime_getItsInitialFillOnly() {
        for (long capacity : new long[] {1_000, 999_983}) {
            Policy policy =
                    TokenBucket.of(capacity, 999_983, Duration.ofDays(1)).withInitial(3);
            try (RedisUnderTest trial = new RedisUnderTest(SharedRedis.options())) {
                List<dev.weir.Answer<Decision>> answers = new ArrayList<>();
                for (int i = 0; i < 30; i++) {
                    answers.add(trial.store().consume(List.of(new Charge(Key.of("new", "k" + i % 2), policy, 1))));
                }
                assertThat(answers.stream()
                                .filter(answer -> answer.await(TIMEOUT).admitted()))
                        .hasSize(6);
            }
        }
    }

    /** Often enough that the two travel in one call, behind another that is under way. */
    @Test
    void reset_togetherWithABudgetInPlaceOfSlots_leavesNothing() {
        try (RedisUnderTest trial = new RedisUnderTest(SharedRedis.options())) {
            Policy policy = TokenBucket.perMinute(5);
            for (int i = 0; i < 200; i++) {
                Key key = Key.of("k" + i);
                List<Charge> slot = List.of(Charge.of(key, Concurrency.of(1)));
                assertThat(acquire(trial, "first" + i, slot)).isTrue();
                trial.store().consume(List.of(Charge.of(Key.of("other" + i), policy)));
                trial.store().consume(List.of(Charge.of(key, policy)));
                trial.store().reset(List.of(key)).await(TIMEOUT);
                assertThat(acquire(trial, "second" + i, slot)).isTrue();
            }
        }
    }

    private static boolean acquire(RedisUnderTest trial, String id, List<Charge> charges) {
        return trial.store()
                .acquire(id, charges, Duration.ofMinutes(1))
                .await(TIMEOUT)
                .admitted();
    }

    @Test
    void consume_manyOnADamagedKey_failsForEachOfThem() {
        try (RedisUnderTest trial = new RedisUnderTest(SharedRedis.options())) {
            RedisStore store = (RedisStore) trial.store();
            Policy policy = TokenBucket.perMinute(100);
            RedisUnderTest.await(store.link()
                    .commands()
                    .set(
                            store.names().budget(Key.of("bad")).bytes(),
                            "rubbish".getBytes(java.nio.charset.StandardCharsets.UTF_8)));
            List<dev.weir.Answer<Decision>> answers = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                answers.add(store.consume(List.of(Charge.of(Key.of(i % 3 == 0 ? "bad" : "good"), policy))));
            }
            int failed = 0;
            int admitted = 0;
            for (dev.weir.Answer<Decision> answer : answers) {
                try {
                    admitted += answer.await(TIMEOUT).reading(0) instanceof Reading.Admitted ? 1 : 0;
                } catch (StoreException e) {
                    failed++;
                }
            }
            assertThat(failed).isEqualTo(20);
            assertThat(admitted).isEqualTo(40);
        }
    }
}
