package dev.weir.benchmarks;

import static dev.weir.benchmarks.measure.Table.number;

import dev.weir.benchmarks.measure.Figure;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * The performance requirements of Weir, and whether a run met them. They are ratios of CPU time per operation within
 * one run.
 */
final class Bars {
    /** Bytes per operation below which nothing was allocated: the remainder is the harness's own allocation. */
    private static final double NOTHING = 0.5;

    private final Results results;
    private final int cores;
    private final List<Bar> judged = new ArrayList<>();

    private Bars(Results results, int cores) {
        this.results = results;
        this.cores = cores;
    }

    static List<Bar> judge(Results results, int cores) {
        Bars bars = new Bars(results, cores);
        bars.judgeHandle();
        bars.judgeTicking();
        bars.judgeKeys();
        bars.judgeHeap();
        bars.judgeFour();
        return List.copyOf(bars.judged);
    }

    enum Verdict {
        MET("met"),
        NOT_MET("NOT MET"),
        NOT_MEASURED("not measured");

        private final String words;

        Verdict(String words) {
            this.words = words;
        }

        @Override
        public String toString() {
            return words;
        }
    }

    /**
     * One required figure.
     *
     * @param what the comparison
     * @param measured the figure, with its unit
     * @param required the bound of the figure
     * @param spread the lowest and the highest of the single rounds, and whether other processes disturbed them all
     */
    record Bar(String what, String measured, String required, Verdict verdict, String spread) {}

    private void judgeHandle() {
        List<Suite.Case> handles = cases(Suite.HOT, "weirHandle");
        for (Suite.Case handle : handles) {
            Suite.Case bare = Suite.HOT.of(handle.variant().id(), "bare");
            atMost(1.10, handle, bare, "handle / bare GCRA");
        }
        handles.forEach(this::aheadOfPeers);
        allocatesNothing("hot key: handle", handles);
        scales(Suite.HOT.of("denied/1", "weirHandle"), Suite.HOT.of("denied/2", "weirHandle"));
    }

    private void judgeTicking() {
        List<Suite.Case> tickings =
                List.of(Suite.HOT.of("allowed/1", "weirTicking"), Suite.HOT.of("allowed/2", "weirTicking"));
        for (Suite.Case ticking : tickings) {
            Suite.Case bucket4j = Suite.HOT.of(ticking.variant().id(), "bucket4j");
            timesFaster(8, ticking, bucket4j, "Bucket4j's default / ticking clock");
        }
        allocatesNothing("hot key: ticking clock", tickings);
    }

    private void judgeKeys() {
        List<Suite.Case> weirs = cases(Suite.KEYS, "weir");
        for (Suite.Case weir : weirs) {
            Suite.Case buckets = Suite.KEYS.of(weir.variant().id(), "mapOfBuckets");
            timesFaster(5, weir, buckets, "ConcurrentHashMap + Bucket4j / Weir");
        }
        for (Suite.Case weir : weirs) {
            Suite.Case open = Suite.KEYS.of(weir.variant().id(), "openTable");
            atMost(1.4, weir, open, "Weir / open-addressing limit");
        }
        allocatesNothing("1M keys: Weir", weirs);
    }

    private void judgeHeap() {
        for (Suite.HeapCase one : Suite.HEAP) {
            if (one.limiter().equals("weir")) {
                double bytes = results.bytesPerKey(one);
                add("heap per key at " + one.millions() + "M keys", "%.1f B", bytes, "≤ 48 B", bytes <= 48, "");
            }
        }
    }

    private void judgeFour() {
        Suite.Case four = Suite.FOUR.of("1", "weirFour");
        atMost(5, four, Suite.FOUR.of("1", "weirOne"), "four / one");
        double bytes = results.of(four).bytes();
        add("four limits: allocated", "%.1f B/op", bytes, "≤ 64 B/op", bytes < 64 + NOTHING, "");
    }

    private static List<Suite.Case> cases(Suite.Group group, String contestant) {
        return group.variants().stream()
                .map(variant -> group.of(variant.id(), contestant))
                .toList();
    }

    private static String what(Suite.Case one, String compared) {
        return one.group().name() + ", " + one.variant().label() + ": " + compared;
    }

    private void atMost(double bar, Suite.Case one, Suite.Case other, String compared) {
        double ratio = ratio(one, other);
        add(what(one, compared), "%.2f ×", ratio, number("≤ %.2f ×", bar), ratio <= bar, spread(one, other));
    }

    private void timesFaster(double bar, Suite.Case fast, Suite.Case slow, String compared) {
        double ratio = ratio(slow, fast);
        add(what(fast, compared), "%.2f ×", ratio, number("≥ %.2f ×", bar), ratio >= bar, spread(slow, fast));
    }

    private void aheadOfPeers(Suite.Case one) {
        List<Suite.Case> peers = one.group().contestants().stream()
                .filter(contestant -> contestant.role() == Suite.Role.PEER)
                .map(contestant -> new Suite.Case(one.group(), one.variant(), contestant))
                .toList();
        if (!peers.stream().allMatch(peer -> results.of(peer).isMeasured())) {
            add(what(one, "handle / fastest peer"), "", Double.NaN, "< 1.00 ×", false, "");
            return;
        }
        Suite.Case fastest = Collections.min(
                peers, Comparator.comparingDouble(peer -> results.of(peer).cpuNanos()));
        String compared = "handle / " + fastest.contestant().label();
        double ratio = ratio(one, fastest);
        add(what(one, compared), "%.2f ×", ratio, "< 1.00 ×", ratio < 1, spread(one, fastest));
    }

    private void allocatesNothing(String what, List<Suite.Case> cases) {
        boolean areAllMeasured = cases.stream().allMatch(one -> results.of(one).isMeasured());
        double most =
                cases.stream().mapToDouble(one -> results.of(one).bytes()).max().orElseThrow();
        add(
                what + ", allocated at most",
                "%.1f B/op",
                areAllMeasured ? most : Double.NaN,
                "0 B/op",
                most < NOTHING,
                "");
    }

    /**
     * Compares the throughput of two threads with that of one, by CPU time. Wall time would include the time of other
     * processes.
     */
    private void scales(Suite.Case alone, Suite.Case together) {
        double ratio = cores < 2 ? Double.NaN : 2 * ratio(alone, together);
        double wall = results.of(together).opsPerSecond() / results.of(alone).opsPerSecond();
        String byWall = number("by the wall clock %.2f", wall);
        add("hot key, denied: handle, 2 threads / 1", "%.2f ×", ratio, "≥ 1.80 ×", ratio >= 1.8, byWall);
    }

    private void add(String what, String format, double value, String required, boolean isMet, String spread) {
        boolean isMeasured = !Double.isNaN(value);
        Verdict verdict = isMeasured ? isMet ? Verdict.MET : Verdict.NOT_MET : Verdict.NOT_MEASURED;
        judged.add(new Bar(what, number(format, value), required, verdict, isMeasured ? spread : ""));
    }

    private double ratio(Suite.Case dividend, Suite.Case divisor) {
        return results.of(dividend).cpuNanos() / results.of(divisor).cpuNanos();
    }

    /** The range of a ratio over the rounds, and whether other processes used the CPUs. */
    private String spread(Suite.Case dividend, Suite.Case divisor) {
        List<Figure.Sample> dividends = results.of(dividend).rounds();
        List<Figure.Sample> divisors = results.of(divisor).rounds();
        DoubleSummaryStatistics ratios = IntStream.range(0, Math.min(dividends.size(), divisors.size()))
                .mapToDouble(i -> dividends.get(i).cpuNanos() / divisors.get(i).cpuNanos())
                .summaryStatistics();
        boolean isCalm = results.of(dividend).isCalm() && results.of(divisor).isCalm();
        String range = String.format(Locale.ROOT, "%.2f–%.2f", ratios.getMin(), ratios.getMax());
        return (ratios.getCount() < 2 ? "" : range) + (isCalm ? "" : " disturbed");
    }
}
