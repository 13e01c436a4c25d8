package dev.weir.store.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Charge;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.TokenBucket;
import dev.weir.ledger.StoreTime;
import dev.weir.store.consensus.Consensus;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How long a snapshot of a million keys stops the thread that applies entries. Needs an idle machine. */
@Tag("long")
class SnapshotPauseIT {
    private static final int KEYS = 1_000_000;
    private static final Policy POLICY = TokenBucket.of(100, 100, Duration.ofHours(1));

    @Test
    void capture_ofAMillionKeys_takesLessThanHalfASecond() throws IOException {
        ClusterState state = SoloLog.newBook(ClusterState.MOST_BUDGETS);
        PolicyModels models = new PolicyModels();
        List<ClusterRequest> requests = new ArrayList<>();
        for (int i = 0; i < KEYS; i++) {
            Charge charge = Charge.of(Key.of("api", "a-rather-ordinary-key-" + i), POLICY);
            requests.add(ClusterRequest.of(
                    ClusterCommand.CONSUME,
                    "",
                    List.of(new StateCharge(charge.key().text(), models.of(POLICY), 1)),
                    0));
            if (requests.size() == 500) {
                long sequence = i + 1L;
                byte[] unused = state.apply(
                        CommandBatch.write(2, 7, sequence, sequence, requests),
                        new StoreTime(1_000_000_000L + i, 1_000));
                requests.clear();
            }
        }
        assertThat(state.budgets.size()).isEqualTo(KEYS);
        for (int round = 0; round < 5; round++) {
            long begun = System.nanoTime();
            Consensus.Encoder captured = ClusterStateSnapshot.capture(state);
            long paused = System.nanoTime() - begun;
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            captured.encode(bytes);
            System.out.println("snapshot of " + KEYS + " keys: paused " + paused / 1_000_000 + " ms, encoded "
                    + (System.nanoTime() - begun - paused) / 1_000_000 + " ms, " + bytes.size() + " bytes");
            assertThat(Duration.ofNanos(paused)).isLessThan(Duration.ofMillis(500));
        }
    }
}
