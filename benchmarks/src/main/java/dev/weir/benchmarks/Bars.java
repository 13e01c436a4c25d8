package dev.weir.benchmarks;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/** What Weir has set itself to reach, and whether it did. CPU per operation, as a ratio within one run. */
final class Bars {
    /** Below this nothing was allocated: what is seen is the harness's own, spread over the operations. */
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
     * One bar.
     *
     * @param what was compared with what
     * @param measured the figure, with its unit
     * @param required what the figure must be
     * @param spread the lowest and the highest of the single rounds; empty if there is but one
     */
    record Bar(String what, String measured, String required, Verdict verdict, String spread) {}

    private void judgeHandle() {
        for (Suite.Variant variant : Suite.HOT.variants()) {
            Suite.Case handle = Suite.HOT.of(variant.id(), "weirHandle");
            atMost(1.10, handle, Suite.HOT.of(variant.id(), "bare"), "of the bare GCRA");
            aheadOfPeers(handle);
            allocatesNothing(handle);
        }
        scales(Suite.HOT.of("denied/1", "weirHandle"), Suite.HOT.of("denied/2", "weirHandle"));
    }

    private void judgeTicking() {
        for (String variant : List.of("allowed/1", "allowed/2")) {
            Suite.Case ticking = Suite.HOT.of(variant, "weirTicking");
            timesFaster(8, ticking, Suite.HOT.of(variant, "bucket4j"));
            allocatesNothing(ticking);
        }
    }

    private void judgeKeys() {
        for (Suite.Variant variant : Suite.KEYS.variants()) {
            Suite.Case weir = Suite.KEYS.of(variant.id(), "weir");
            timesFaster(5, weir, Suite.KEYS.of(variant.id(), "mapOfBuckets"));
            atMost(1.4, weir, Suite.KEYS.of(variant.id(), "openTable"), "of the open-addressing limit");
            allocatesNothing(weir);
        }
    }

    private void judgeHeap() {
        for (Suite.HeapCase one : Suite.HEAP) {
            if (one.limiter().equals("weir")) {
                double bytes = results.bytesPerKey(one);
                String what = String.format(Locale.ROOT, "Heap for each of %,d keys", one.keys());
                add(what, "%.1f B", bytes, "≤ 48 B", bytes <= 48, "");
            }
        }
    }

    private void judgeFour() {
        Suite.Case four = Suite.FOUR.of("1", "weirFour");
        atMost(5, four, Suite.FOUR.of("1", "weirOne"), "of the decision over one");
        double bytes = results.of(four).bytes();
        add(four.label() + ": allocates", "%.1f B/op", bytes, "≤ 64 B/op", bytes < 64 + NOTHING, "");
    }

    private void atMost(double bar, Suite.Case one, Suite.Case other, String whose) {
        double ratio = ratio(one, other);
        add(
                one.label() + ": CPU " + whose,
                "%.2f ×",
                ratio,
                String.format(Locale.ROOT, "≤ %.2f ×", bar),
                ratio <= bar,
                spread(one, other));
    }

    private void timesFaster(double bar, Suite.Case fast, Suite.Case slow) {
        double ratio = ratio(slow, fast);
        add(
                fast.label() + ": faster than " + slow.contestant().label(),
                "%.1f ×",
                ratio,
                String.format(Locale.ROOT, "≥ %.0f ×", bar),
                ratio >= bar,
                spread(slow, fast));
    }

    private void aheadOfPeers(Suite.Case one) {
        List<Suite.Case> peers = one.group().contestants().stream()
                .filter(contestant -> contestant.role() == Suite.Role.PEER)
                .map(contestant -> new Suite.Case(one.group(), one.variant(), contestant))
                .toList();
        Suite.Case fastest = peers.stream()
                .filter(peer -> results.of(peer).isMeasured())
                .min(Comparator.comparingDouble(peer -> results.of(peer).cpuNanos()))
                .orElse(peers.get(0));
        boolean areAllMeasured =
                peers.stream().allMatch(peer -> results.of(peer).isMeasured());
        double ratio = areAllMeasured ? ratio(one, fastest) : Double.NaN;
        String name = areAllMeasured ? fastest.contestant().label() : "the fastest peer";
        add(one.label() + ": CPU of " + name, "%.2f ×", ratio, "< 1.00 ×", ratio < 1, spread(one, fastest));
    }

    private void allocatesNothing(Suite.Case one) {
        double bytes = results.of(one).bytes();
        add(one.label() + ": allocates", "%.1f B/op", bytes, "0 B/op", bytes < NOTHING, "");
    }

    /** What two threads get done with the CPU of two, against one: the wall clock would count what others took. */
    private void scales(Suite.Case alone, Suite.Case together) {
        double ratio = cores < 2 ? Double.NaN : 2 * ratio(alone, together);
        double wall = results.of(together).opsPerSecond() / results.of(alone).opsPerSecond();
        add(
                together.label() + ": throughput of 1 thread",
                "%.2f ×",
                ratio,
                "≥ 1.80 ×",
                ratio >= 1.8,
                String.format(Locale.ROOT, "by the wall clock %.2f", wall));
    }

    private void add(String what, String format, double value, String required, boolean isMet, String spread) {
        if (Double.isNaN(value)) {
            judged.add(new Bar(what, "", required, Verdict.NOT_MEASURED, ""));
        } else {
            Verdict verdict = isMet ? Verdict.MET : Verdict.NOT_MET;
            judged.add(new Bar(what, String.format(Locale.ROOT, format, value), required, verdict, spread));
        }
    }

    private double ratio(Suite.Case dividend, Suite.Case divisor) {
        return results.of(dividend).cpuNanos() / results.of(divisor).cpuNanos();
    }

    private String spread(Suite.Case dividend, Suite.Case divisor) {
        List<Figure.Round> ones = results.of(dividend).rounds();
        List<Figure.Round> others = results.of(divisor).rounds();
        int rounds = Math.min(ones.size(), others.size());
        if (rounds < 2) {
            return "";
        }
        double[] ratios = IntStream.range(0, rounds)
                .mapToDouble(i -> ones.get(i).cpuNanos() / others.get(i).cpuNanos())
                .toArray();
        return String.format(
                Locale.ROOT,
                "rounds %.2f–%.2f",
                DoubleStream.of(ratios).min().orElseThrow(),
                DoubleStream.of(ratios).max().orElseThrow());
    }
}
