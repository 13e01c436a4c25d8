package dev.weir.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.CalendarWindow;
import dev.weir.Charge;
import dev.weir.Concurrency;
import dev.weir.Decision;
import dev.weir.FixedWindow;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.SlidingWindow;
import dev.weir.StoreException;
import dev.weir.Streak;
import dev.weir.TokenBucket;
import dev.weir.fixture.RedisProcess;
import dev.weir.store.scripted.Bytes;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The script's effects on Redis: number of commands, written keys, expiry, and behavior on damaged values. */
@Tag("io")
class RedisScriptTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(90);
    private static final List<Policy> EVERY_POLICY = List.of(
            TokenBucket.perMinute(60),
            TokenBucket.of(999_983, 999_983, Duration.ofDays(1)),
            FixedWindow.of(60, Duration.ofMinutes(1)),
            SlidingWindow.of(60, Duration.ofMinutes(1)),
            SlidingWindow.of(6_000, Duration.ofHours(1)),
            CalendarWindow.perDay(60, ZoneOffset.UTC));

    private final RedisProcess redis = RedisProcess.start();
    private final RedisStore store =
            RedisStore.open(RedisStoreOptions.parse(redis.uri()).withTimeout(Duration.ofSeconds(10)));
    private final RedisClusterAsyncCommands<byte[], byte[]> commands =
            store.link().commands();

    @AfterEach
    void close() {
        store.close();
        redis.close();
    }

    @Test
    void open_loadsTheScriptAndWritesNothing() {
        assertThat(calls("eval")).isEqualTo(1);
        assertThat(result(commands.dbsize())).isZero();
    }

    /** Requests that arrive at once after a start meet a way that several have gone together. */
    @Test
    void open_decidesSeveralTogether_beforeRequestsArrive() {
        assertThat(calls("evalsha")).isGreaterThan(2);
    }

    @Test
    void consume_withFourLimits_isOneCommand() {
        List<Charge> four = List.of(
                Charge.of(Key.of("global"), TokenBucket.of(100_000, 10_000, Duration.ofMinutes(1))),
                Charge.of(Key.of("ip", "203.0.113.7"), TokenBucket.perMinute(100_000)),
                Charge.of(Key.of("user", "u1"), FixedWindow.of(100_000, Duration.ofMinutes(1))),
                Charge.of(Key.of("user", "u1", "chat"), SlidingWindow.of(100_000, Duration.ofMinutes(1))));
        await(four);
        long before = calls("evalsha");
        for (int i = 0; i < 100; i++) {
            assertThat(await(four).admitted()).isTrue();
        }
        assertThat(calls("evalsha") - before).isEqualTo(100);
        assertThat(calls("eval")).isEqualTo(1);
    }

    @Test
    void consume_refused_writesNothing() {
        for (Policy policy : EVERY_POLICY) {
            Key key = Key.of("refused", policy.toString());
            await(List.of(new Charge(key, policy, policy.capacity())));
            long written = writes();
            for (int i = 0; i < 20; i++) {
                assertThat(await(List.of(
                                        Charge.of(Key.of("untouched"), TokenBucket.perMinute(9)),
                                        new Charge(key, policy, policy.capacity())))
                                .admitted())
                        .isFalse();
                assertThat(await(List.of(new Charge(key, policy, policy.capacity() + 1)))
                                .admitted())
                        .isFalse();
            }
            assertThat(writes()).as("%s", policy).isEqualTo(written);
        }
        assertThat(result(commands.exists(
                        store.names().budget(Key.of("untouched")).bytes())))
                .isZero();
    }

    /** E4: at least as long as it takes to be whole, and at least a minute. */
    @Test
    void consume_leavesAKeyThatLivesUntilItIsWhole() {
        for (Policy policy : EVERY_POLICY) {
            Key key = Key.of("ttl", policy.toString());
            for (long cost : new long[] {1, policy.capacity() / 2}) {
                Duration whole =
                        await(List.of(new Charge(key, policy, cost))).reading(0).resetAfter();
                long left = result(commands.pttl(store.names().budget(key).bytes()));
                long least = Math.max(60_000, whole.toMillis());
                assertThat(left).as("%s", policy).isBetween(least - 5_000, least + 2_000);
            }
        }
    }

    /**
     * An entry takes 24 B, and a value of up to 12 bytes 32 B, with the allocator that Redis brings and with the system's.
     * The Redis of the tests has another, so that its own figure is not the one that counts.
     */
    @Test
    void tokenBucket_ofUsualNumbers_takesAtMost64BytesBesidesItsKey() {
        for (Policy policy : List.of(
                TokenBucket.perSecond(10),
                TokenBucket.perMinute(60),
                TokenBucket.perMinute(10_000),
                TokenBucket.perHour(500),
                TokenBucket.of(200, 100, Duration.ofSeconds(1)),
                TokenBucket.of(100_000, 100_000, Duration.ofDays(1)))) {
            Key key = Key.of("memory", policy.toString());
            await(List.of(new Charge(key, policy, 3)));
            long bytes = result(commands.strlen(store.names().budget(key).bytes()));
            assertThat(bytes).as("%s", policy).isEqualTo(12);
        }
    }

    @Test
    void tokenBucket_ofOtherNumbers_takesSomewhatMore() {
        for (Policy policy : List.of(
                TokenBucket.perMinute(7),
                TokenBucket.of(16_385, 1, Duration.ofSeconds(1)),
                TokenBucket.of(5, 1, Duration.ofNanos(16_385_000)))) {
            Key key = Key.of("memory", policy.toString());
            await(List.of(new Charge(key, policy, 3)));
            long bytes = result(commands.strlen(store.names().budget(key).bytes()));
            assertThat(bytes).as("%s", policy).isBetween(13L, 20L);
        }
    }

    /** Redis's clock was set back, and the clock that the store keeps is gone: nobody is locked out for longer than that. */
    @Test
    void tokenBucket_aheadOfTheClock_missesAtMostWhatItCan() {
        Policy policy = TokenBucket.perMinute(10);
        Key key = Key.of("ahead");
        byte[] name = store.names().budget(key).bytes();
        await(List.of(new Charge(key, policy, 1)));
        byte[] value = result(commands.get(name));
        Bytes.write(Bytes.read(value, 5, 7) + Duration.ofDays(1).toNanos() / 1_000, 7, value, 5);
        result(commands.set(name, value));
        Decision refused = await(List.of(Charge.of(key, policy)));
        assertThat(refused.admitted()).isFalse();
        assertThat(refused.reading(0).resetAfter()).isEqualTo(Duration.ofMinutes(2));
    }

    @Test
    void consume_whereSomethingElseIsKept_failsAndSpendsNothing() {
        Policy policy = TokenBucket.perMinute(10);
        Key bad = Key.of("bad");
        byte[] name = store.names().budget(bad).bytes();
        List<Runnable> rubbish = List.of(
                () -> result(commands.set(name, "rubbish".getBytes())),
                () -> result(commands.set(name, new byte[] {0x10})),
                () -> result(commands.set(name, new byte[0])),
                () -> result(commands.set(name, new byte[] {0x11, 0x03, 60, 1, 2, 3})),
                () -> result(commands.hset(name, Map.of("a".getBytes(), "b".getBytes()))),
                () -> result(commands.lpush(name, "a".getBytes())),
                () -> result(commands.zadd(name, 5, "member".getBytes())));
        for (Runnable each : rubbish) {
            result(commands.del(name));
            each.run();
            assertThatThrownBy(() -> await(List.of(Charge.of(Key.of("good"), policy), Charge.of(bad, policy))))
                    .isInstanceOfSatisfying(
                            StoreException.class,
                            e -> assertThat(e.kind())
                                    .as("it concerns this call only")
                                    .isEqualTo(StoreException.Kind.DAMAGED))
                    .hasMessageContaining("no state of Weir");
        }
        assertThat(await(List.of(Charge.of(Key.of("good"), policy))).reading(0).remaining())
                .isEqualTo(9);
    }

    /** Those who travel with somebody whose key is damaged are not harmed. */
    @Test
    void consume_togetherWithADamagedKey_isAnsweredAlone() {
        Policy policy = TokenBucket.of(1_000_000, 1, Duration.ofDays(1));
        result(commands.set(store.names().budget(Key.of("bad")).bytes(), "rubbish".getBytes()));
        AtomicLong failed = new AtomicLong();
        AtomicLong admitted = new AtomicLong();
        CompletableFuture<?>[] all = IntStream.range(0, 400)
                .mapToObj(i -> {
                    CompletableFuture<Void> done = new CompletableFuture<>();
                    store.consume(List.of(Charge.of(Key.of(i % 10 == 0 ? "bad" : "good"), policy)))
                            .whenDone((decision, failure) -> {
                                (failure == null ? admitted : failed).incrementAndGet();
                                done.complete(null);
                            });
                    return done;
                })
                .toArray(CompletableFuture<?>[]::new);
        CompletableFuture.allOf(all).join();
        assertThat(failed).hasValue(40);
        assertThat(admitted).hasValue(360);
    }

    @Test
    void consume_whileScriptsAreFlushed_neverFails() {
        Policy policy = TokenBucket.of(1_000_000_000_000L, 1, Duration.ofMillis(1));
        AtomicBoolean over = new AtomicBoolean();
        AtomicLong admitted = new AtomicLong();
        AtomicLong failed = new AtomicLong();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 8; t++) {
            Key key = Key.of("flushed", "t" + t % 3);
            threads.add(new Thread(() -> {
                while (!over.get()) {
                    try {
                        admitted.addAndGet(
                                await(List.of(Charge.of(key, policy))).admitted() ? 1 : 0);
                    } catch (RuntimeException e) {
                        failed.incrementAndGet();
                    }
                }
            }));
        }
        threads.forEach(Thread::start);
        for (int i = 0; i < 15; i++) {
            RedisUnderTest.await(commands.scriptFlush());
            java.util.concurrent.locks.LockSupport.parkNanos(100_000_000);
        }
        over.set(true);
        threads.forEach(RedisScriptTest::join);
        assertThat(failed).hasValue(0);
        assertThat(admitted.get()).isPositive();
        assertThat(calls("eval")).isGreaterThanOrEqualTo(10);
    }

    @Test
    void consume_ofStreaksAndSlots_keepsThemApartFromOthers() {
        Decision streak = await(List.of(Charge.of(Key.of("v"), new Streak(Duration.ofMinutes(1)))));
        assertThat(streak.reading(0).remaining()).isEqualTo(Policy.MAX_COUNT - 1);
        store.acquire("l", List.of(Charge.of(Key.of("s"), Concurrency.of(2))), Duration.ofMinutes(2))
                .await(TIMEOUT);
        long left = result(commands.pttl(store.names().budget(Key.of("s")).bytes()));
        assertThat(left).isBetween(110_000L, 121_000L);
    }

    private Decision await(List<Charge> charges) {
        return store.consume(charges).await(TIMEOUT);
    }

    /** How often the script has written anything. */
    private long writes() {
        return calls("set") + calls("psetex") + calls("del") + calls("zadd") + calls("pexpire");
    }

    /** How often Redis has run a command. */
    private long calls(String command) {
        return get("INFO", "commandstats")
                .lines()
                .filter(line -> line.startsWith("cmdstat_" + command + ":"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("^[^:]*:calls=(\\d+),.*", "$1")))
                .sum();
    }

    private String get(String unused, String section) {
        return result(commands.info(section));
    }

    private static <T> T result(CompletionStage<T> stage) {
        return RedisUnderTest.await(stage);
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
