package dev.weir.server.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.json.Json;
import org.junit.jupiter.api.Test;

class RollingCountsTest {
    private final RollingCounts tally = new RollingCounts(3, 10, 2);

    private String series(int which) {
        Json json = Json.newObject(64);
        tally.write(json, "s", which, 3);
        return json.close('}').toString();
    }

    @Test
    void slots_areForgotten_oneByOne() {
        tally.add(100, 0, 1);
        tally.add(110, 0, 2);
        tally.add(129, 1, 5);
        assertThat(series(0)).isEqualTo("{\"s\":[1,2,0]}");
        assertThat(series(1)).isEqualTo("{\"s\":[0,0,5]}");
        assertThat(tally.latestAt()).isEqualTo(120);
        assertThat(tally.sum(129, 0)).isEqualTo(3);
        assertThat(tally.sum(129, 0, 2)).isEqualTo(2);
        assertThat(tally.sum(130, 0)).isEqualTo(2);
        assertThat(tally.sum(140, 0)).isZero();
    }

    @Test
    void longSilence_forgetsAll_andAStepBackCountsForTheLatest() {
        tally.add(100, 0, 7);
        tally.add(1_000_000, 0, 1);
        assertThat(series(0)).isEqualTo("{\"s\":[0,0,1]}");
        tally.add(100, 0, 1);
        assertThat(series(0)).isEqualTo("{\"s\":[0,0,2]}");
    }

    @Test
    void runningCounts_areTakenOnce() {
        tally.read(100, 5, 1);
        tally.read(105, 5, 1);
        tally.read(112, 8, 0);
        assertThat(series(0)).isEqualTo("{\"s\":[0,5,3]}");
        assertThat(series(1)).isEqualTo("{\"s\":[0,1,0]}");
    }
}
