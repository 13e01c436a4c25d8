package dev.weir.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.benchmarks.measure.Figure;
import java.util.List;
import org.junit.jupiter.api.Test;

final class BarsTest {
    private final Results results = new Results();

    @Test
    void judge_nothingMeasured_claimsNothing() {
        assertThat(Bars.judge(results, 2)).extracting(Bars.Bar::verdict).containsOnly(Bars.Verdict.NOT_MEASURED);
    }

    @Test
    void judge_justWithinTheBar_isMet() {
        measure(Suite.HOT.of("allowed/1", "bare"), 30);
        measure(Suite.HOT.of("allowed/1", "weirHandle"), 33);
        assertThat(bar("hot key, allowed, 1 thread: handle / bare GCRA").verdict())
                .isEqualTo(Bars.Verdict.MET);
    }

    @Test
    void judge_justBeyondTheBar_isNotMetThoughItIsPrintedAlike() {
        measure(Suite.HOT.of("allowed/1", "bare"), 30);
        measure(Suite.HOT.of("allowed/1", "weirHandle"), 33.01);
        Bars.Bar bar = bar("hot key, allowed, 1 thread: handle / bare GCRA");
        assertThat(bar.verdict()).isEqualTo(Bars.Verdict.NOT_MET);
        assertThat(bar.measured()).isEqualTo("1.10 ×");
    }

    @Test
    void judge_severalRounds_takesTheMediansAndShowsTheSpread() {
        for (double nanos : new double[] {100, 10, 11}) {
            measure(Suite.HOT.of("denied/2", "weirHandle"), nanos);
            measure(Suite.HOT.of("denied/2", "bare"), 10);
        }
        Bars.Bar bar = bar("hot key, denied, 2 threads: handle / bare GCRA");
        assertThat(bar.measured()).isEqualTo("1.10 ×");
        assertThat(bar.spread()).isEqualTo("1.00–10.00");
    }

    @Test
    void judge_allRoundsDisturbed_saysSo() {
        results.add(Suite.HOT.of("allowed/2", "weirHandle"), new Figure.Sample(33, 0, 3e7, 0.4));
        measure(Suite.HOT.of("allowed/2", "bare"), 33);
        assertThat(bar("hot key, allowed, 2 threads: handle / bare GCRA").spread())
                .contains("disturbed");
    }

    @Test
    void judge_fasterBy_comparesTheOtherWayRound() {
        measure(Suite.HOT.of("allowed/1", "weirTicking"), 5);
        measure(Suite.HOT.of("allowed/1", "bucket4j"), 41);
        Bars.Bar bar = bar("hot key, allowed, 1 thread: Bucket4j's default / ticking clock");
        assertThat(bar.verdict()).isEqualTo(Bars.Verdict.MET);
        assertThat(bar.measured()).isEqualTo("8.20 ×");
    }

    @Test
    void judge_oneMissingPeer_doesNotClaimToBeAheadOfAll() {
        List<Suite.Contestant> peers = Suite.HOT.contestants().stream()
                .filter(contestant -> contestant.role() == Suite.Role.PEER)
                .toList();
        measure(Suite.HOT.of("allowed/1", "weirHandle"), 30);
        peers.subList(1, peers.size()).forEach(peer -> measure(Suite.HOT.of("allowed/1", peer.benchmark()), 40));
        assertThat(bar("hot key, allowed, 1 thread: handle / fastest peer").verdict())
                .isEqualTo(Bars.Verdict.NOT_MEASURED);

        measure(Suite.HOT.of("allowed/1", peers.get(0).benchmark()), 29);
        assertThat(bar("hot key, allowed, 1 thread: handle / " + peers.get(0).label())
                        .verdict())
                .isEqualTo(Bars.Verdict.NOT_MET);
    }

    @Test
    void judge_allocation_isTheWorstOfAllVariants() {
        for (Suite.Variant variant : Suite.KEYS.variants()) {
            double bytes = variant.id().equals("zipf/2") ? 1 : 0.01;
            results.add(Suite.KEYS.of(variant.id(), "weir"), new Figure.Sample(200, bytes, 1e6, 0));
        }
        assertThat(bar("1M keys: Weir, allocated at most").verdict()).isEqualTo(Bars.Verdict.NOT_MET);
    }

    @Test
    void judge_scalingOnOneCore_isNotMeasured() {
        measure(Suite.HOT.of("denied/1", "weirHandle"), 30);
        measure(Suite.HOT.of("denied/2", "weirHandle"), 30);
        String what = "hot key, denied: handle, 2 threads / 1";
        assertThat(bar(what).measured()).isEqualTo("2.00 ×");
        assertThat(Bars.judge(results, 1))
                .filteredOn(bar -> bar.what().equals(what))
                .extracting(Bars.Bar::verdict)
                .containsExactly(Bars.Verdict.NOT_MEASURED);
    }

    private void measure(Suite.Case one, double cpuNanos) {
        results.add(one, new Figure.Sample(cpuNanos, 0, 1e9 / cpuNanos, 0));
    }

    private Bars.Bar bar(String what) {
        return Bars.judge(results, 2).stream()
                .filter(bar -> bar.what().equals(what))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no bar is called " + what));
    }
}
