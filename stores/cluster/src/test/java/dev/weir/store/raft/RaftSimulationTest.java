package dev.weir.store.raft;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Thousands of unlucky clusters: whatever happens to them, they agree, and lose nothing that was acknowledged. */
@Tag("slow")
class RaftSimulationTest {
    private static final int ROUNDS = Integer.getInteger("weir.raft.rounds", 25);
    private static final long SEED = Long.getLong("weir.raft.seed", 1);

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5})
    void cluster_leftInPeace_agreesOnEverything(int size) {
        Simulation simulation = new Simulation(size, SEED);
        simulation.run(Duration.ofSeconds(5), false);
        simulation.settle();
        assertThat(simulation.acknowledged()).isGreaterThan(500);
    }

    /** Two who were told to take over would split the votes, and everybody would wait for another election. */
    @ParameterizedTest
    @ValueSource(ints = {3, 5})
    void leader_thatLeaves_isFollowedInTheNextTerm(int size) {
        for (long round = 0; round < ROUNDS; round++) {
            Simulation simulation = new Simulation(size, SEED * 1_000_000 + round);
            simulation.run(Duration.ofSeconds(1), false);
            for (int i = 0; i < 5; i++) {
                assertThat(simulation.handOver())
                        .as("with -Dweir.raft.seed=" + SEED + ", in round " + round)
                        .isEqualTo(1);
            }
            simulation.settle();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 5})
    void cluster_underMisfortune_losesNothingAndRecovers(int size) {
        long acknowledged = 0;
        for (long round = 0; round < ROUNDS; round++) {
            long seed = SEED * 1_000_000 + round;
            try {
                Simulation simulation = new Simulation(size, seed);
                simulation.run(Duration.ofSeconds(1), false);
                for (int i = 0; i < 4; i++) {
                    simulation.run(Duration.ofSeconds(3), true);
                    simulation.settle();
                }
                acknowledged += simulation.acknowledged();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("with -Dweir.raft.seed=" + SEED + ", in round " + round, e);
            }
        }
        assertThat(acknowledged).isGreaterThan(1_000L * ROUNDS);
    }
}
