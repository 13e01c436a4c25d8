package dev.weir.store.redis;

import dev.weir.Store;
import dev.weir.store.scripted.ScriptClock;
import dev.weir.testkit.FakeClock;
import dev.weir.testkit.history.StoreOnFakeClock;
import dev.weir.testkit.model.Timing;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.util.Locale;
import java.util.concurrent.CompletionStage;

/** The store on a real Redis, with a script clock that the test sets. */
final class RedisUnderTest extends StoreOnFakeClock {
    /** What the script adds to the end of a key's life when its clock is given; see call.lua. */
    private static final long FAR_AHEAD = 40_000_000_000_000L;

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
        return Timing.inDoubles(FakeClock.START);
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
                if (ends > FAR_AHEAD && ends - FAR_AHEAD <= clock.epochMicros() / 1_000) {
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
        deleteKeys(store, options);
        store.close();
    }

    /** Or the sweeps of those who come later would pass over these keys, too. */
    static void deleteKeys(RedisStore store, RedisStoreOptions options) {
        RedisClusterAsyncCommands<byte[], byte[]> redis = store.link().commands();
        ScanArgs own = ScanArgs.Builder.matches(options.prefix() + ":*").limit(10_000);
        KeyScanCursor<byte[]> cursor = await(redis.scan(own));
        while (true) {
            if (!cursor.getKeys().isEmpty()) {
                await(redis.unlink(cursor.getKeys().toArray(new byte[0][])));
            }
            if (cursor.isFinished()) {
                return;
            }
            cursor = await(redis.scan(cursor, own));
        }
    }

    private final class Given implements ScriptClock {
        @Override
        public byte[][] after(byte[] asked) {
            return new byte[][] {asked, ScriptClock.given(clock.epochMicros(), clock.epochMillis() * 1_000)};
        }

        @Override
        public long wallMillis() {
            return clock.epochMillis();
        }

        @Override
        public void observe(long wallMillis) {}
    }

    static <T> T await(CompletionStage<T> stage) {
        return stage.toCompletableFuture()
                .orTimeout(90, java.util.concurrent.TimeUnit.SECONDS)
                .join();
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "Redis with the prefix %s", options.prefix());
    }
}
