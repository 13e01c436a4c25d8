package dev.weir.store.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.Concurrency;
import dev.weir.FixedWindow;
import dev.weir.Policy;
import dev.weir.SlidingWindow;
import dev.weir.Streak;
import dev.weir.TokenBucket;
import dev.weir.algorithm.PolicyModel;
import dev.weir.algorithm.ResetMark;
import dev.weir.ledger.StoreTime;
import dev.weir.store.consensus.BytesIn;
import dev.weir.store.consensus.BytesIn.MalformedException;
import dev.weir.store.consensus.Consensus;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ClusterStateTest {
    private static final Policy TEN = FixedWindow.of(10, Duration.ofMinutes(1));

    private final PolicyModels policyModels = new PolicyModels();

    private static StoreTime at(long millis) {
        return new StoreTime(1_700_000_000_000_000L + 1_000 * millis, 1_700_000_000_000L + millis);
    }

    private ClusterRequest consume(String key, Policy policy, long cost) {
        return ClusterRequest.of(
                ClusterCommand.CONSUME, "", List.of(new StateCharge(key, policyModels.of(policy), cost)), 0);
    }

    private ClusterRequest reset(String key) {
        return ClusterRequest.of(ClusterCommand.RESET, "", List.of(new StateCharge(key, policyModels.of(TEN), 1)), 0);
    }

    private byte[] batch(long client, long sequence, long answeredBelow, ClusterRequest... questions) {
        return CommandBatch.write(2, client, sequence, answeredBelow, List.of(questions));
    }

    private static boolean admitted(byte[] reply) {
        BytesIn in = new BytesIn(reply);
        in.number();
        in.number();
        assertThat(in.u8()).isEqualTo(ClusterState.OK);
        return (in.u8() & ClusterState.ADMITTED) != 0;
    }

    @Test
    void batch_thatComesAgain_isAnsweredAsBeforeAndCountsOnce() {
        ClusterState clusterState = SoloLog.newBook(ClusterState.MOST_BUDGETS);
        byte[] batch = batch(7, 1, 1, consume("k", TEN, 6));
        byte[] reply = clusterState.apply(batch, at(0));
        assertThat(admitted(reply)).isTrue();
        assertThat(clusterState.apply(batch, at(500))).isEqualTo(reply);
        assertThat(admitted(clusterState.apply(batch(7, 2, 1, consume("k", TEN, 4)), at(600))))
                .isTrue();
        assertThat(clusterState.apply(batch, at(700))).isEqualTo(reply);
        assertThat(admitted(clusterState.apply(batch(7, 3, 3, consume("k", TEN, 1)), at(800))))
                .isFalse();
        assertThat(clusterState.apply(batch, at(900))).as("answered long ago").isEmpty();
        assertThat(admitted(clusterState.apply(batch(8, 1, 1, consume("k", TEN, 1)), at(900))))
                .as("another client's")
                .isFalse();
    }

    @Test
    void clients_thatFellSilent_areForgotten() {
        ClusterState clusterState = SoloLog.newBook(ClusterState.MOST_BUDGETS);
        for (long client = 1; client <= 2_000; client++) {
            clusterState.apply(batch(client, 1, 1, consume("k" + client, TEN, 1)), at(client));
        }
        assertThat(clusterState.sessions.all()).hasSizeLessThanOrEqualTo(1_024);
        clusterState.apply(batch(9_999, 1, 1, consume("k", TEN, 1)), at(3_600_000));
        assertThat(clusterState.sessions.all()).hasSize(1);
    }

    @Test
    void book_thatIsFull_letsNewKeysShareAndLosesNobodysCount() {
        ClusterState clusterState = SoloLog.newBook(100);
        Policy slow = TokenBucket.of(2, 1, Duration.ofDays(1));
        long sequence = 0;
        for (int i = 0; i < 100; i++) {
            sequence++;
            assertThat(admitted(clusterState.apply(batch(1, sequence, sequence, consume("s:own" + i, slow, 2)), at(i))))
                    .isTrue();
        }
        int more = 0;
        for (int i = 0; i < 5_000; i++) {
            sequence++;
            more += admitted(clusterState.apply(batch(1, sequence, sequence, consume("s:new" + i, slow, 1)), at(200)))
                    ? 1
                    : 0;
        }
        assertThat(more).as("256 shared budgets of 2").isBetween(500, 512);
        assertThat(clusterState.budgets.size()).isLessThanOrEqualTo(100 + 256);
        for (int i = 0; i < 100; i++) {
            sequence++;
            assertThat(admitted(
                            clusterState.apply(batch(1, sequence, sequence, consume("s:own" + i, slow, 1)), at(300))))
                    .isFalse();
        }
        sequence++;
        assertThat(admitted(clusterState.apply(
                        batch(1, sequence, sequence, consume("s:new1", slow, 1)), at(4 * 86_400_000L))))
                .as("once all is whole again")
                .isTrue();
    }

    @Test
    void book_thatIsFull_countsKeysOfOneRequestThatShareABudgetTogether() {
        ClusterState clusterState = SoloLog.newBook(1);
        Policy once = TokenBucket.of(1, 1, Duration.ofDays(1));
        assertThat(admitted(clusterState.apply(batch(1, 1, 1, consume("s:own", once, 1)), at(0))))
                .isTrue();
        List<StateCharge> charges = new ArrayList<>();
        for (int i = 0; i < 257; i++) {
            charges.add(new StateCharge("s:new" + i, policyModels.of(once), 1));
        }
        assertThat(admitted(clusterState.apply(
                        batch(1, 2, 2, ClusterRequest.of(ClusterCommand.CONSUME, "", charges, 0)), at(1))))
                .as("257 keys on 256 shared budgets of 1")
                .isFalse();
    }

    @Test
    void books_thatAreGivenTheSame_areTheSameToTheByte() {
        SplittableRandom random = new SplittableRandom(3);
        ClusterState one = SoloLog.newBook(50);
        ClusterState other = SoloLog.newBook(50);
        List<Policy> policies = List.of(
                TEN,
                TokenBucket.of(5, 7, Duration.ofSeconds(3)),
                SlidingWindow.of(3, Duration.ofSeconds(5)),
                new Streak(Duration.ofSeconds(9)));
        long millis = 0;
        for (int i = 1; i < 3_000; i++) {
            millis += random.nextInt(300);
            List<ClusterRequest> questions = new ArrayList<>();
            for (int j = random.nextInt(1, 4); j > 0; j--) {
                int policy = random.nextInt(policies.size());
                questions.add(consume("p" + policy + ":k" + random.nextInt(80), policies.get(policy), 1));
            }
            if (random.nextInt(10) == 0) {
                questions.add(reset("p0:k" + random.nextInt(80)));
            }
            byte[] batch = CommandBatch.write(2, random.nextInt(3), i, i, questions);
            assertThat(one.apply(batch, at(millis))).isEqualTo(other.apply(batch, at(millis)));
            if (i % 500 == 0) {
                byte[] snapshot = ClusterStateSnapshot.write(one);
                assertThat(ClusterStateSnapshot.write(other)).isEqualTo(snapshot);
                other = SoloLog.newBook(50);
                ClusterStateSnapshot.read(snapshot, other);
                assertThat(ClusterStateSnapshot.write(other)).isEqualTo(snapshot);
            }
        }
    }

    @Test
    void snapshot_encodedWhileTheStateChanges_isThatOfItsMoment() throws Exception {
        SplittableRandom random = new SplittableRandom(5);
        ClusterState clusterState = SoloLog.newBook(2_000);
        long[] sequence = {0};
        change(clusterState, random, sequence, 3_000);
        for (int round = 0; round < 10; round++) {
            byte[] expected = ClusterStateSnapshot.write(clusterState);
            Consensus.Encoder captured = ClusterStateSnapshot.capture(clusterState);
            change(clusterState, random, sequence, 50);
            CompletableFuture<byte[]> encoded = CompletableFuture.supplyAsync(() -> {
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                try {
                    captured.encode(out);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
                return out.toByteArray();
            });
            while (!encoded.isDone()) {
                change(clusterState, random, sequence, 1);
            }
            assertThat(encoded.join()).isEqualTo(expected);
        }
    }

    /** Applies random batches to keys of every kind of ledger. */
    private void change(ClusterState clusterState, SplittableRandom random, long[] sequence, int batches) {
        List<Policy> policies = List.of(
                TEN,
                TokenBucket.of(5, 7, Duration.ofSeconds(3)),
                SlidingWindow.of(3, Duration.ofSeconds(5)),
                new Streak(Duration.ofSeconds(9)));
        PolicyModel slots = policyModels.of(new Concurrency(3));
        for (int i = 0; i < batches; i++) {
            sequence[0]++;
            int policy = random.nextInt(policies.size());
            clusterState.apply(
                    batch(
                            1,
                            sequence[0],
                            sequence[0],
                            consume("p" + policy + ":k" + random.nextInt(800), policies.get(policy), 1),
                            ClusterRequest.of(
                                    ClusterCommand.ACQUIRE,
                                    "lease" + random.nextInt(500),
                                    List.of(new StateCharge("slots:" + random.nextInt(200), slots, 1)),
                                    random.nextInt(1, 5_000_000)),
                            ClusterRequest.of(ClusterCommand.SWEEP, "", List.of(), random.nextInt(100) == 0 ? 500 : 1)),
                    at(3 * sequence[0]));
        }
    }

    /** A node that starts from a snapshot must not give back what the others do not. */
    @Test
    void reset_inASnapshot_stillEndsWhatWasSpentBefore() {
        Policy slow = TokenBucket.of(10, 1, Duration.ofDays(1));
        StateCharge five = new StateCharge("k", policyModels.of(slow), 5);
        ClusterState clusterState = SoloLog.newBook(ClusterState.MOST_BUDGETS);
        clusterState.apply(
                batch(1, 1, 1, ClusterRequest.of(ClusterCommand.RESERVE, "r", List.of(five), 60_000_000)), at(0));
        clusterState.apply(batch(1, 2, 2, reset("k"), consume("k", slow, 10)), at(0));
        ClusterState other = SoloLog.newBook(ClusterState.MOST_BUDGETS);
        ClusterStateSnapshot.read(ClusterStateSnapshot.write(clusterState), other);
        other.apply(batch(1, 3, 3, ClusterRequest.of(ClusterCommand.CANCEL, "r", List.of(), 0)), at(1));
        assertThat(admitted(other.apply(batch(1, 4, 4, consume("k", slow, 1)), at(1))))
                .isFalse();
    }

    /** Bounded: what is forgotten for want of room counts for every key. */
    @Test
    void resets_ofMoreKeysThanThereIsRoomFor_neverLetMoreBeGivenBack() {
        Resets resets = new Resets();
        for (int i = 1; i <= Resets.MOST + 10; i++) {
            resets.put("k" + i, at(i));
        }
        assertThat(resets.size()).isEqualTo(Resets.MOST);
        assertThat(resets.cameAfter("k1", 0, at(70_000))).isTrue();
        assertThat(resets.cameAfter("another", 9, at(70_000))).isTrue();
        assertThat(resets.cameAfter("another", 10, at(70_000))).isFalse();
        assertThat(resets.cameAfter("k20", 19, at(70_000))).isTrue();
        assertThat(resets.cameAfter("k20", 20, at(70_000))).isFalse();
        StoreTime later = new StoreTime(at(70_000).micros() + ResetMark.REMEMBERED, 0);
        assertThat(resets.cameAfter("k1", 0, later)).isFalse();
        resets.put("k1", later);
        assertThat(resets.size()).isEqualTo(1);
    }

    @Test
    void bytes_ofAnyKind_areRefusedAndNothingElse() {
        SplittableRandom random = new SplittableRandom(5);
        byte[] good = batch(1, 1, 1, consume("k", TEN, 1), consume("l", TEN, 2));
        for (int i = 0; i < 20_000; i++) {
            byte[] bad = good.clone();
            for (int j = random.nextInt(1, 4); j > 0; j--) {
                bad[random.nextInt(bad.length)] = (byte) random.nextInt();
            }
            byte[] cut = Arrays.copyOf(bad, random.nextInt(bad.length + 1));
            try {
                SoloLog.newBook(ClusterState.MOST_BUDGETS).apply(cut, at(0));
            } catch (MalformedException | IllegalArgumentException e) {
                assertThat(e.getMessage()).isNotBlank();
            }
        }
        assertThatThrownBy(() -> SoloLog.newBook(ClusterState.MOST_BUDGETS).apply(new byte[0], at(0)))
                .isInstanceOf(MalformedException.class);
    }
}
