package dev.weir.store.raft;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.store.raft.SnapshotRule.Advice;
import org.junit.jupiter.api.Test;

class SnapshotRuleTest {
    private final SnapshotRule rule = new SnapshotRule(1_000, 100, 10);

    @Test
    void shortLog_isLeftAlone() {
        assertThat(rule.advice(1_000, 0, 0, 0, 3, false)).isEqualTo(Advice.NOTHING);
        assertThat(rule.advice(2_000, 500, 0, 0, 3, false))
                .as("four times the last snapshot")
                .isEqualTo(Advice.NOTHING);
    }

    @Test
    void smallState_isWrittenAtOnceByAnybody() {
        assertThat(rule.advice(1_001, 100, 10, 0, 3, true)).isEqualTo(Advice.MAKE_ONE);
    }

    @Test
    void largeState_isWrittenByOneAtATimeAndNeverByTheLeader() {
        for (long micros = 0; micros < 100; micros++) {
            int making = 0;
            for (int node = 0; node < 3; node++) {
                Advice follower = rule.advice(2_500, 500, micros, node, 3, false);
                Advice leader = rule.advice(2_500, 500, micros, node, 3, true);
                making += follower == Advice.MAKE_ONE ? 1 : 0;
                assertThat(leader).isEqualTo(follower == Advice.MAKE_ONE ? Advice.HAND_OVER : Advice.NOTHING);
            }
            assertThat(making).isEqualTo(1);
        }
    }

    @Test
    void soleNode_andLogThatIsFarTooLong_doNotWaitForATurn() {
        assertThat(rule.advice(2_500, 500, 10, 0, 1, true)).isEqualTo(Advice.MAKE_ONE);
        assertThat(rule.advice(6_001, 500, 10, 0, 3, true)).isEqualTo(Advice.MAKE_ONE);
    }
}
