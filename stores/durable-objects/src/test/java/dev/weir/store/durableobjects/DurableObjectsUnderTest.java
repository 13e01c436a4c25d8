package dev.weir.store.durableobjects;

import dev.weir.Store;
import dev.weir.store.scripted.ScriptClock;
import dev.weir.testkit.FakeClock;
import dev.weir.testkit.history.StoreOnFakeClock;
import dev.weir.testkit.model.Timing;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The store on the real runtime, with a shard clock that the test sets. */
final class DurableObjectsUnderTest extends StoreOnFakeClock {
    private final DurableObjectsStoreOptions options = SharedWorker.options();
    private final DurableObjectsStore store =
            new DurableObjectsStore(new WorkerLink(SharedWorker.worker()), options, new Given());

    @Override
    public Store store() {
        return store;
    }

    @Override
    public Timing timing() {
        return Timing.inDoubles(FakeClock.START);
    }

    /** Has every shard remove what its alarm would have removed by now. */
    @Override
    public void sweep() {
        byte[] now = Long.toString(clock.epochMicros() / 1_000).getBytes(StandardCharsets.US_ASCII);
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

    @Override
    public String toString() {
        return "Durable Objects with the prefix " + options.prefix();
    }
}
