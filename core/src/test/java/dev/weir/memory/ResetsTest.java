package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.Store;
import dev.weir.TokenBucket;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ResetsTest {
    private static final long WEEK = Store.LONGEST_TTL.toNanos();

    private final Resets resets = new Resets(3);

    @Test
    void cameAfter_forWhatWasSpentAtTheVeryTime_goesByTheCount() {
        assertThat(resets.cameAfter(1, 5, 0, 5)).isFalse();
        resets.put(1, 5);
        assertThat(resets.mayBeAfter(5)).isTrue();
        assertThat(resets.mayBeAfter(6)).isFalse();
        assertThat(resets.cameAfter(1, 4, 0, 5)).isTrue();
        assertThat(resets.cameAfter(1, 5, 0, 5)).isTrue();
        assertThat(resets.cameAfter(1, 5, resets.count(), 5)).isFalse();
        assertThat(resets.cameAfter(1, 6, 0, 6)).isFalse();
        assertThat(resets.cameAfter(2, 4, 0, 5)).as("another key").isFalse();
    }

    @Test
    void put_ofMoreThanThereIsRoomFor_countsForEveryKeyWhatItForgets() {
        for (int key = 1; key <= 5; key++) {
            resets.put(key, 10 * key);
        }
        assertThat(resets.cameAfter(1, 5, 0, 60)).isTrue();
        assertThat(resets.cameAfter(9, 20, 0, 60)).isTrue();
        assertThat(resets.cameAfter(9, 21, 0, 60)).isFalse();
        assertThat(resets.cameAfter(4, 35, 0, 60)).isTrue();
    }

    @Test
    void cameAfter_aWeekLater_isForgotten() {
        resets.put(1, 5);
        assertThat(resets.cameAfter(1, 4, 0, 4 + WEEK)).isTrue();
        assertThat(resets.cameAfter(1, 4, 0, 5 + WEEK)).isFalse();
    }

    /** Another key's budget must not begin at the precise time of a reset, which is ahead of a lagging clock. */
    @Test
    void reset_onATickingClock_leavesTheTimeOfOtherKeysAlone() {
        Policy policy = TokenBucket.of(1_000_000_000_000L, 1_000, Duration.ofDays(1));
        long tenth = policy.capacity() / 10;
        try (MemoryStore store =
                MemoryStore.create(MemoryStoreOptions.defaults().tickingClock())) {
            for (int i = 0; i < 2_000; i++) {
                Key reset = Key.of("reset", Integer.toString(i));
                Key other = Key.of("other", Integer.toString(i));
                store.consume(List.of(Charge.of(reset, policy)));
                store.reset(List.of(reset));
                store.consume(List.of(new Charge(other, policy, 2 * tenth)));
                Decision second = store.consume(List.of(new Charge(other, policy, 3 * tenth)))
                        .now();
                assertThat(second.reading(0).remaining()).isEqualTo(5 * tenth);
            }
        }
    }
}
