package dev.weir.store.redis;

import static io.netty.channel.SelectStrategy.CONTINUE;
import static io.netty.channel.SelectStrategy.SELECT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.remote.Vigil;
import org.junit.jupiter.api.Test;

class AwakeSelectTest {
    private static final long MICROSECOND = 1_000;

    private boolean awaited = true;
    private long now;
    private long eachLookTakes = MICROSECOND;
    private int ready;
    private int looks;
    private final AwakeSelect select = new AwakeSelect(() -> awaited, () -> now);

    private int look(boolean hasTasks) {
        try {
            return select.calculateStrategy(
                    () -> {
                        looks++;
                        now += eachLookTakes;
                        return ready;
                    },
                    hasTasks);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** How long the loop is awake until it sleeps. */
    private long awake() {
        long begun = now;
        while (look(false) != SELECT) {
            assertThat(now - begun).isLessThan(1_000 * MICROSECOND);
        }
        return now - begun;
    }

    @Test
    void nothingUnderWay_sleepsAtOnce() {
        awaited = false;
        assertThat(look(false)).isEqualTo(SELECT);
        assertThat(looks).isZero();
    }

    @Test
    void aCallUnderWay_looksForAMoment_thenSleeps() {
        assertThat(awake()).isBetween(Vigil.LONGEST_NANOS, Vigil.LONGEST_NANOS + 5 * MICROSECOND);
    }

    @Test
    void whatIsThere_isTold_andTheMomentBeginsAnew() {
        now += 10;
        for (int i = 0; i < 150; i++) {
            assertThat(look(false)).isEqualTo(CONTINUE);
        }
        ready = 1;
        assertThat(look(false)).isEqualTo(1);
        ready = 0;
        assertThat(awake()).isGreaterThanOrEqualTo(Vigil.LONGEST_NANOS);
    }

    @Test
    void theCallEnds_sleepsAtOnce() {
        assertThat(look(false)).isEqualTo(CONTINUE);
        awaited = false;
        assertThat(look(false)).isEqualTo(SELECT);
    }

    @Test
    void tasks_areNeverLeftWaiting() {
        awaited = false;
        assertThat(look(true)).isZero();
        awaited = true;
        for (int i = 0; i < 1_000; i++) {
            assertThat(look(true)).isZero();
        }
    }

    @Test
    void heldUpByOthers_sleeps() {
        assertThat(look(false)).isEqualTo(CONTINUE);
        now += 50 * MICROSECOND;
        assertThat(look(false)).isEqualTo(SELECT);
    }

    @Test
    void answersThatNeverComeSoon_areSleptThrough_untilTheyDoAgain() {
        for (int i = 0; i < 10_000; i++) {
            long unused = awake();
        }
        // Sixteen until it is noticed, then two of every 258, of two hundred looks each.
        assertThat(looks).isBetween(60 * 200, 120 * 205);

        ready = 1;
        int seen = 0;
        for (int i = 0; i < 1_000; i++) {
            seen += look(false) == 1 ? 1 : 0;
        }
        assertThat(seen).isGreaterThan(700);
    }
}
