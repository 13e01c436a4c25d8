package dev.weir.store.cluster;

import dev.weir.Charge;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.Store;
import dev.weir.algorithm.Resolution;
import dev.weir.testkit.Ability;
import dev.weir.testkit.FakeClock;
import dev.weir.testkit.StoreContract;
import dev.weir.testkit.history.StoreUnderTest;
import dev.weir.testkit.model.Timing;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** The book alone, without a network: every answer as the model has it, also from snapshots and to repeated batches. */
class BookContractTest extends StoreContract {
    @Override
    protected StoreUnderTest newStore() {
        return new SoloUnderTest();
    }

    @Override
    protected Set<Ability> missing() {
        return Set.of(Ability.RUNNING_CLOCK, Ability.EXACT_MOMENTS);
    }

    private static final class SoloUnderTest implements StoreUnderTest {
        private static final Duration LONG = Duration.ofSeconds(20);
        private static final List<Charge> PROBE = List.of(Charge.of(Key.of("probe"), Policy.closed()));

        private final FakeClock clock = new FakeClock();
        private final ClusterStore store = new ClusterStore(new SoloLog(clock), Duration.ofSeconds(1), null);

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
            store.peek(PROBE).await(LONG);
            clock.stepBack(by);
            store.peek(PROBE).await(LONG);
        }

        @Override
        public void stepWall(Duration by) {
            clock.stepWall(by);
        }

        @Override
        public void sweep() {
            store.sweep(Integer.MAX_VALUE).await(LONG);
        }

        @Override
        public void close() {
            store.close();
        }
    }
}
