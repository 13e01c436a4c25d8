package dev.weir.store.durableobjects;

import dev.weir.Charge;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.Store;
import dev.weir.algorithm.Resolution;
import dev.weir.store.scripted.ScriptClock;
import dev.weir.testkit.FakeClock;
import dev.weir.testkit.history.StoreUnderTest;
import dev.weir.testkit.model.Timing;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The store on the real runtime, with the shards' clock given. */
final class DurableObjectsUnderTest implements StoreUnderTest {
    private static final List<Charge> PROBE = List.of(Charge.of(Key.of("probe"), Policy.closed()));

    private final FakeClock clock = new FakeClock();
    private final long startNanos = clock.nanos();
    private final DurableObjectsStoreOptions options = SharedWorker.options();
    private final DurableObjectsStore store =
            new DurableObjectsStore(new WorkerLink(SharedWorker.worker()), options, new Given());

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

    /** Has every shard remove what its alarm would have removed by now. */
    @Override
    public void sweep() {
        byte[] now = Long.toString(micros() / 1_000).getBytes(StandardCharsets.US_ASCII);
        List<CompletableFuture<?>> swept = new ArrayList<>();
        for (int shard = 0; shard < WorkerLink.SHARDS; shard++) {
            swept.add(SharedWorker.worker().post("/v1/shards/" + shard + "/sweep", now, 100));
        }
        swept.forEach(CompletableFuture::join);
    }

    @Override
    public void close() {
        store.close();
    }

    private long micros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, FakeClock.START) + (clock.nanos() - startNanos) / 1_000;
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

    @Override
    public String toString() {
        return "Durable Objects with the prefix " + options.prefix();
    }
}
