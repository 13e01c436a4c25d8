package dev.weir.memory;

import dev.weir.TokenBucket;
import java.time.Duration;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Every interleaving of consumes, refunds, policy changes and new generations has the outcome of some sequential order.
 *
 * <p>Public with public operations, because Lincheck runs copies of it in its own class loader.
 */
@Tag("slow")
public class PackedTableLincheckTest {
    private final StoreClock clock = new FrozenClock();
    private final PolicyRegistry policyRegistry = new PolicyRegistry(clock);
    private final SweepCounts swept = new SweepCounts();
    private final PackedTable table = new PackedTable(64, policyRegistry, new LedgerTable(16, swept), swept);
    private final BoundPolicy boundPolicy = policyRegistry.of(TokenBucket.of(2, 1, Duration.ofDays(1)));
    private final BoundPolicy wider = policyRegistry.of(TokenBucket.of(3, 5, Duration.ofDays(1)));

    static final class FrozenClock extends StoreClock {
        @Override
        long now() {
            return 1;
        }

        @Override
        long precise() {
            return 1;
        }

        @Override
        boolean lags() {
            return false;
        }

        @Override
        long epochMillis(long now) {
            return 0;
        }
    }

    @Operation
    public boolean takeFirst() {
        return take(0x1000, boundPolicy);
    }

    @Operation
    public boolean takeSecond() {
        return take(0x2000, boundPolicy);
    }

    @Operation
    public boolean takeFirstUnderWiderPolicy() {
        return take(0x1000, wider);
    }

    @Operation
    public void giveBackFirst() {
        table.giveBack(0x1000, boundPolicy, 1, new DecisionTime(1, 1), 1);
    }

    @Operation
    public void sweep() {
        table.sweep(1);
    }

    private boolean take(long hash, BoundPolicy policy) {
        return PackedResult.isTaken(table.apply(PackedOperation.TAKE, hash, policy, 1, 1));
    }

    @Test
    void operations_onRealThreads_areLinearizable() {
        new StressOptions()
                .iterations(10)
                .invocationsPerIteration(1000)
                .threads(3)
                .actorsPerThread(3)
                .check(PackedTableLincheckTest.class);
    }

    @Test
    void operations_inExploredInterleavings_areLinearizable() {
        new ModelCheckingOptions()
                .iterations(15)
                .invocationsPerIteration(300)
                .threads(2)
                .actorsPerThread(3)
                .check(PackedTableLincheckTest.class);
    }
}
