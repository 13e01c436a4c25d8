package dev.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Key;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class SharedSpendersTest {
    @Test
    void key_thatWasAdded_isThereUntilItsSpendingIsBack_howeverManyAreAdded() {
        SharedSpenders spenders = new SharedSpenders(64);
        spenders.add(hash(0), 0, 1_000);
        for (int now = 1; now < 1_000; now++) {
            spenders.add(hash(now), now, now + 10);
            assertThat(spenders.mayHave(hash(0))).isTrue();
        }
    }

    @Test
    void keys_whoseSpendingIsBack_areForgottenInTime() {
        SharedSpenders spenders = new SharedSpenders(1_000);
        LongStream.range(0, 4_000).forEach(i -> spenders.add(hash(i), 0, 10));
        assertThat(found(spenders, 100_000)).isGreaterThan(50);
        spenders.add(1, 10, 20);
        spenders.add(2, 20, 30);
        spenders.add(3, 30, 40);
        assertThat(found(spenders, 100_000)).isLessThan(10);
    }

    @Test
    void keys_ofWhichFewWereAdded_areMostlyAbsent() {
        SharedSpenders spenders = new SharedSpenders(10_000);
        LongStream.range(0, 1_000).forEach(i -> spenders.add(hash(i), 0, 10));
        assertThat(found(spenders, 100_000)).isLessThan(50);
    }

    private static long hash(long number) {
        return Key.of("k", Long.toString(number)).hash();
    }

    /** The number of a thousand keys that are found though they were not added. */
    private static long found(SharedSpenders spenders, long from) {
        return LongStream.range(from, from + 1_000)
                .filter(i -> spenders.mayHave(hash(i)))
                .count();
    }
}
