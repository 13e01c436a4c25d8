package dev.weir.store.jdbc;

import dev.weir.Decision;
import dev.weir.Store;
import dev.weir.algorithm.Resolution;
import dev.weir.testkit.history.StoreUnderTest;
import dev.weir.testkit.model.ModelTime;
import dev.weir.testkit.model.Timing;
import java.time.Instant;

/** A SQL store on its database's clock. */
final class RunningUnderTest implements StoreUnderTest {
    private final DatabaseKind.Site site;
    private final JdbcStore store;

    RunningUnderTest(DatabaseKind kind) {
        site = kind.newSite();
        store = site.sharingNode().store();
    }

    @Override
    public Store store() {
        return store;
    }

    @Override
    public Timing timing() {
        return Timing.sinceEpoch(Resolution.MICROS, Instant.EPOCH);
    }

    @Override
    public void sweep() {
        store.sweep();
    }

    @Override
    public ModelTime momentOf(Decision decision) {
        return new ModelTime(1_000 * decision.time(), 0);
    }

    @Override
    public void close() {
        store.close();
        site.close();
    }
}
