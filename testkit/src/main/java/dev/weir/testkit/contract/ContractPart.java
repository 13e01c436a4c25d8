package dev.weir.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Answer;
import dev.weir.CalendarWindow;
import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.FixedWindow;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.Reading;
import dev.weir.SlidingWindow;
import dev.weir.Store;
import dev.weir.TokenBucket;
import dev.weir.testkit.Ability;
import dev.weir.testkit.history.StoreUnderTest;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestInstances;

/** One part of the contract: a new store for each test, and the helpers that the tests share. */
public abstract class ContractPart {
    static final Duration MINUTE = Duration.ofMinutes(1);
    static final Duration DAY = Duration.ofDays(1);
    static final Duration TIMEOUT = Duration.ofSeconds(90);

    private @Nullable Contract contract;
    private @Nullable StoreUnderTest trial;

    /** Passes the enclosing contract to each nested part. */
    static final class Enclosing implements BeforeEachCallback {
        @Override
        public void beforeEach(ExtensionContext context) {
            TestInstances instances = context.getRequiredTestInstances();
            ((ContractPart) instances.getInnermostInstance()).contract =
                    instances.findInstance(Contract.class).orElseThrow();
        }
    }

    @BeforeEach
    void open() {
        trial = contract().newStore();
    }

    @AfterEach
    void close() {
        trial().close();
    }

    /** Skips a test that needs a capability which the store has declared missing. */
    final void needs(Ability... abilities) {
        for (Ability ability : abilities) {
            if (!has(ability)) {
                throw new DeclaredSkip(ability);
            }
        }
    }

    final boolean has(Ability ability) {
        return !contract().missing().contains(ability);
    }

    final Contract contract() {
        return Objects.requireNonNull(contract);
    }

    final StoreUnderTest trial() {
        return Objects.requireNonNull(trial, "no store was opened");
    }

    final Store store() {
        return trial().store();
    }

    /** One policy of every kind that is consumed, small and huge. None refills while a test runs. */
    final List<Policy> everyPolicy() {
        return held(policies(
                TokenBucket.of(10, 1, Duration.ofDays(3_650)),
                TokenBucket.of(1_000_000_000_000L, 1_000, Duration.ofDays(1)),
                FixedWindow.of(10, DAY),
                FixedWindow.of(1_000_000_000_000L, Duration.ofDays(365)),
                SlidingWindow.of(10, DAY),
                SlidingWindow.of(1_000, DAY),
                SlidingWindow.of(1_000_000_000_000L, Duration.ofDays(365)),
                new CalendarWindow(10, ChronoUnit.MONTHS, ZoneOffset.UTC),
                new CalendarWindow(1_000_000_000_000L, ChronoUnit.MONTHS, ZoneOffset.UTC)));
    }

    /** A test of one policy, with its own key and a cost of a tenth of the capacity. */
    interface PolicyTest {
        void run(Policy policy, Key key, long tenth);
    }

    final void forEveryPolicy(PolicyTest test) {
        everyPolicy().forEach(policy -> test.run(policy, key(policy), tenth(policy)));
    }

    /** Asserts that the budget is full. */
    final void assertWhole(Key key, Policy policy) {
        assertThat(peek(key, policy, 1).reading(0))
                .as("%s", policy)
                .isEqualTo(new Reading.Fits(policy.capacity(), Duration.ZERO));
    }

    /** The policies that the store can keep exactly; it refuses the others. */
    final List<Policy> held(List<Policy> policies) {
        return policies.stream().filter(trial().timing()::holds).toList();
    }

    static List<Policy> policies(Policy... policies) {
        return List.of(policies);
    }

    /** A tenth of the policy's capacity: ten such charges fit, eleven do not. */
    static long tenth(Policy policy) {
        return policy.capacity() / 10;
    }

    static Key key(String name) {
        return Key.of("contract", name);
    }

    /** A distinct key for each policy of a test; all share one store. */
    static Key key(Policy policy) {
        return Key.of("contract", policy.toString());
    }

    final Decision consume(Charge... charges) {
        return await(store().consume(List.of(charges)));
    }

    final Decision consume(Key key, Policy policy, long cost) {
        return consume(new Charge(key, policy, cost));
    }

    final Decision peek(Charge... charges) {
        return await(store().peek(List.of(charges)));
    }

    final Decision peek(Key key, Policy policy, long cost) {
        return peek(new Charge(key, policy, cost));
    }

    /** The number of units that can be spent at once. */
    final long remaining(Key key, Policy policy) {
        return peek(key, policy, 1).reading(0).remaining();
    }

    final void advance(Duration by) {
        trial().advance(by);
    }

    /** One tick of the clock on which the store keeps the policy. */
    final Duration tick(Policy policy) {
        return trial().timing().resolutions().apply(policy).toDuration(1);
    }

    static <T> T await(Answer<T> answer) {
        return answer.await(TIMEOUT);
    }

    static void assertAdmitted(Decision decision, long... remaining) {
        assertThat(decision.admitted()).as("%s", decision.readings()).isTrue();
        assertThat(decision.readings()).allMatch(Reading.Admitted.class::isInstance);
        assertThat(decision.readings().stream().mapToLong(Reading::remaining).toArray())
                .containsExactly(remaining);
        assertThat(decision.obstacle()).isNull();
    }

    static Reading.Refused assertRefused(Decision decision) {
        return assertObstacle(decision, Reading.Refused.class);
    }

    static Reading.Impossible assertImpossible(Decision decision) {
        return assertObstacle(decision, Reading.Impossible.class);
    }

    private static <T extends Reading> T assertObstacle(Decision decision, Class<T> type) {
        assertThat(decision.admitted()).as("%s", decision.readings()).isFalse();
        assertThat(decision.obstacle()).isInstanceOf(type);
        return type.cast(decision.reading(decision.readings().indexOf(decision.obstacle())));
    }
}
