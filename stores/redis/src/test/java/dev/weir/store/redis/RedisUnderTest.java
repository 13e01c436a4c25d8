package dev.weir.store.redis;

import dev.weir.Charge;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.Store;
import dev.weir.algorithm.Resolution;
import dev.weir.store.scripted.ScriptClock;
import dev.weir.testkit.FakeClock;
import dev.weir.testkit.history.StoreUnderTest;
import dev.weir.testkit.model.Timing;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionStage;

/** The store on a real Redis, with the script's clock given. */
final class RedisUnderTest implements StoreUnderTest {
    /** What the script adds to the end of a key's life when its clock is given; see call.lua. */
    private static final long FAR_AHEAD = 40_000_000_000_000L;

    private static final List<Charge> PROBE = List.of(Charge.of(Key.of("probe"), Policy.closed()));

    private final FakeClock clock = new FakeClock();
    private final long startNanos = clock.nanos();
    private final RedisStoreOptions options;
    private final RedisStore store;

    RedisUnderTest(RedisStoreOptions options) {
        this(options, SharedRedis.link());
    }

    RedisUnderTest(RedisStoreOptions options, RedisLink link) {
        this.options = options;
        this.store = new RedisStore(link, options, new Given());
    }

    @Override
    public Store store() {
        return store;
    }

    @Override
    public Timing timing() {
        return Timing.sinceEpoch(Resolution.MICROS, FakeClock.START);
    }

    @Override
    public void advance(Duration by) {
        clock.advance(by);
    }

    @Override
    public void stepBack(Duration by) {
        // What it has not seen cannot step back for it.
        look();
        clock.stepBack(by);
        look();
    }

    private void look() {
        store.peek(PROBE).await(Duration.ofSeconds(20));
    }

    @Override
    public void stepWall(Duration by) {
        clock.stepWall(by);
    }

    /** Deletes what Redis would have deleted by now, were the given clock its own. */
    @Override
    public void sweep() {
        RedisClusterAsyncCommands<byte[], byte[]> redis = store.link().commands();
        ScanArgs own = ScanArgs.Builder.matches(options.prefix() + ":*").limit(10_000);
        KeyScanCursor<byte[]> cursor = await(redis.scan(own));
        while (true) {
            for (byte[] key : cursor.getKeys()) {
                long ends = await(redis.pexpiretime(key));
                // What is not so far ahead was given its time by Redis's own clock.
                if (ends > FAR_AHEAD && ends - FAR_AHEAD <= micros() / 1_000) {
                    await(redis.del(key));
                }
            }
            if (cursor.isFinished()) {
                return;
            }
            cursor = await(redis.scan(cursor, own));
        }
    }

    @Override
    public void close() {
        store.close();
    }

    java.time.Instant wall() {
        return clock.wall();
    }

    private long micros() {
        return ChronoUnit.MICROS.between(java.time.Instant.EPOCH, FakeClock.START)
                + (clock.nanos() - startNanos) / 1_000;
    }

    private final class Given implements ScriptClock {
        @Override
        public byte[][] after(byte[] asked) {
            return new byte[][] {asked, ScriptClock.given(micros(), clock.epochMillis() * 1_000)};
        }

        @Override
        public long wallMillis() {
            return clock.epochMillis();
        }

        @Override
        public void saw(long wallMillis) {}
    }

    static <T> T await(CompletionStage<T> stage) {
        return stage.toCompletableFuture()
                .orTimeout(20, java.util.concurrent.TimeUnit.SECONDS)
                .join();
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "Redis with the prefix %s", options.prefix());
    }
}
