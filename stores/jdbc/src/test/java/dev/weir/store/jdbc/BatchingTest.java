package dev.weir.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.CalendarWindow;
import dev.weir.Charge;
import dev.weir.ClosedPolicy;
import dev.weir.Decision;
import dev.weir.FixedWindow;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.SlidingWindow;
import dev.weir.Streak;
import dev.weir.TokenBucket;
import dev.weir.store.jdbc.rows.RowCharge;
import dev.weir.store.jdbc.rows.SqlRequest;
import dev.weir.testkit.FakeClock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Requests in one batch are decided as if each had come alone, in order. The contract's histories compare single
 * requests with the model; these tests compare batches with single requests.
 */
@Tag("io")
class BatchingTest {
    private static final Duration AWAIT_TIMEOUT = Duration.ofSeconds(90);
    private static final int BATCHES = Integer.getInteger("weir.sql.histories", 25) * 8;

    private static final List<Policy> POLICIES = List.of(
            TokenBucket.of(10, 7, Duration.ofSeconds(3)),
            TokenBucket.of(6, 1, Duration.ofSeconds(1)),
            FixedWindow.of(8, Duration.ofSeconds(5)),
            FixedWindow.of(3, Duration.ofSeconds(2)));

    /** Charges of one cost on a key, as nearly all are: what is merged into runs. Every now and then policies change. */
    @ParameterizedTest
    @EnumSource(DatabaseKind.class)
    void make_ofEqualChargesOnFewKeys_isAsIfOneByOne(DatabaseKind kind) {
        compare(kind, 1, (random, batch) -> {
            int key = random.nextInt(4);
            Policy policy = POLICIES.get((key + batch / 20) % POLICIES.size());
            return List.of(new Charge(Key.of("k", "" + key), policy, 1 + (batch + key) % 3));
        });
    }

    /** Costs that differ, impossible ones among them. */
    @ParameterizedTest
    @EnumSource(DatabaseKind.class)
    void make_ofChargesThatDiffer_isAsIfOneByOne(DatabaseKind kind) {
        compare(kind, 2, (random, batch) -> {
            int key = random.nextInt(4);
            Policy policy = POLICIES.get((key + batch / 10) % POLICIES.size());
            return List.of(new Charge(Key.of("k", "" + key), policy, cost(random)));
        });
    }

    @ParameterizedTest
    @EnumSource(DatabaseKind.class)
    void make_ofSeveralChargesAtOnce_isAsIfOneByOne(DatabaseKind kind) {
        compare(kind, 3, (random, batch) -> {
            List<Charge> charges = new ArrayList<>();
            for (int i = random.nextInt(3); i >= 0; i--) {
                int key = 3 * random.nextInt(2) + i;
                charges.add(new Charge(Key.of("k", "" + key), POLICIES.get(key % POLICIES.size()), cost(random)));
            }
            return charges;
        });
    }

    /** All policies, equal and other requests on shared keys, a key that is named twice, logs that are long enough to end. */
    @ParameterizedTest
    @EnumSource(DatabaseKind.class)
    void make_ofEveryPolicyAtOnce_isAsIfOneByOne(DatabaseKind kind) {
        List<Policy> policies = List.of(
                TokenBucket.of(30, 7, Duration.ofSeconds(3)),
                FixedWindow.of(40, Duration.ofSeconds(5)),
                new CalendarWindow(50, ChronoUnit.HOURS, ZoneOffset.UTC),
                SlidingWindow.of(20, Duration.ofSeconds(4)),
                SlidingWindow.of(9_000, Duration.ofSeconds(4)),
                new Streak(Duration.ofMillis(500)),
                new TokenBucket(12, 2, Duration.ofSeconds(1), 3),
                new ClosedPolicy());
        compare(kind, 6, (random, batch) -> {
            if (batch == 0) {
                return List.of(Charge.of(Key.of("k", "6"), policies.get(6))); // met before it comes with others
            }
            List<Charge> charges = new ArrayList<>();
            for (int i = random.nextInt(4); i >= 0; i--) {
                int key = random.nextInt(random.nextInt(20) == 0 ? policies.size() : policies.size() - 1);
                charges.add(new Charge(Key.of("k", "" + key), policies.get(key), random.nextInt(4) == 0 ? 3 : 1));
            }
            return charges;
        });
    }

    /**
     * Rows that are there and rows that are not, runs that are admitted as a whole, in part and not at all, a row of another
     * policy, and costs whose sum no number holds, all in one batch.
     */
    @ParameterizedTest
    @EnumSource(DatabaseKind.class)
    void make_ofRunsOfEveryKind_givesEachItsOwnAnswer(DatabaseKind kind) {
        Policy small = TokenBucket.of(5, 1, Duration.ofDays(1));
        Policy large = TokenBucket.of(1_000_000_000_000L, 1, Duration.ofSeconds(1));
        compare(kind, 4, 6, (random, batch) -> {
            int key = random.nextInt(12);
            Key name = Key.of("k", key < 2 ? key + "-" + batch : "" + key);
            return List.of(
                    switch (key) {
                        case 0, 1 -> new Charge(name, small, 1);
                        case 2 -> new Charge(name, batch % 2 == 0 ? small : FixedWindow.of(9, Duration.ofDays(1)), 1);
                        case 3 -> new Charge(name, small, 2);
                        case 4 -> new Charge(name, FixedWindow.of(4, Duration.ofDays(1)), 3);
                        default -> new Charge(Key.of("large"), large, batch % 2 == 0 ? 1 : Policy.MAX_COUNT);
                    });
        });
    }

    private static int cost(Random random) {
        return 1 + random.nextInt(random.nextInt(9) == 0 ? 12 : 2);
    }

    /** Another process writes between the batches: what this one remembers of the file must not count. */
    @Test
    void make_afterAnotherNodeHasWritten_countsWhatThatOneSpent() throws Exception {
        FakeClock clock = new FakeClock();
        Charge charge = Charge.of(Key.of("k"), FixedWindow.of(100, Duration.ofDays(1)));
        try (DatabaseKind.Site site = DatabaseKind.SQLITE.newSite()) {
            JdbcBackend here = site.node(DatabaseKind.LONG_TIMEOUT, SqliteUnderTest.given(clock));
            JdbcBackend there = site.node(DatabaseKind.LONG_TIMEOUT, SqliteUnderTest.given(clock));
            long left = 100;
            for (int i = 0; i < 12; i++) {
                List<Object> answers = make(i % 3 == 0 ? there : here, List.of(List.of(charge), List.of(charge)));
                left -= 2;
                assertThat(((Decision) answers.get(1)).reading(0).remaining()).isEqualTo(left);
            }
            here.store().reset(List.of(charge.key())).await(AWAIT_TIMEOUT);
            assertThat(((Decision) make(here, List.of(List.of(charge), List.of(charge)))
                                    .get(1))
                            .reading(0)
                            .remaining())
                    .isEqualTo(98);
            here.store().close();
            there.store().close();
        }
    }

    private interface Request {
        List<Charge> next(Random random, int batch);
    }

    private static void compare(DatabaseKind kind, long seed, Request request) {
        compare(kind, seed, BATCHES, request);
    }

    private static void compare(DatabaseKind kind, long seed, int batches, Request request) {
        Random random = new Random(seed);
        FakeClock clock = new FakeClock();
        try (DatabaseKind.Site together = kind.newSite();
                DatabaseKind.Site alone = kind.newSite()) {
            JdbcBackend one = together.node(DatabaseKind.LONG_TIMEOUT, SqliteUnderTest.given(clock));
            JdbcBackend other = alone.node(DatabaseKind.LONG_TIMEOUT, SqliteUnderTest.given(clock));
            for (int batch = 0; batch < batches; batch++) {
                List<List<Charge>> requests = new ArrayList<>();
                for (int i = random.nextInt(24); i >= 0; i--) {
                    requests.add(request.next(random, batch));
                }
                List<Object> answers = make(one, requests);
                for (int i = 0; i < requests.size(); i++) {
                    Decision expected = other.store().consume(requests.get(i)).await(AWAIT_TIMEOUT);
                    Decision found = (Decision) answers.get(i);
                    assertThat(found.admitted())
                            .as("batch %s, request %s", batch, i)
                            .isEqualTo(expected.admitted());
                    assertThat(found.readings())
                            .as("batch %s, request %s", batch, i)
                            .isEqualTo(expected.readings());
                }
                clock.advance(Duration.ofMillis(random.nextInt(900)));
            }
            one.store().close();
            other.store().close();
        }
    }

    private static List<Object> make(JdbcBackend backend, List<List<Charge>> requests) {
        List<SqlRequest> sqlRequests = new ArrayList<>();
        for (List<Charge> charges : requests) {
            sqlRequests.add(SqlRequest.consume(RowCharge.all(charges)));
        }
        return backend.database().execute(sqlRequests).toCompletableFuture().join();
    }
}
