package dev.weir.benchmarks;

import dev.weir.benchmarks.measure.Effort;
import java.util.List;
import java.util.stream.Stream;

/**
 * How much to measure.
 *
 * @param rounds how often every case is measured, each time in its own JVM
 * @param only a part of the ids of the cases to measure; empty for all
 */
record MeasurementPlan(int rounds, int warmups, int iterations, Effort effort, String only) {

    static MeasurementPlan of(Effort effort, int rounds, String only) {
        return new MeasurementPlan(rounds, effort.choose(3, 2, 0), effort.choose(3, 2, 1), effort, only);
    }

    int iterationMillis(Suite.Group group) {
        return effort.choose(group.iterationMillis(), 100, 10);
    }

    /** The number of JVMs for a case; a check of results needs none. */
    int forks() {
        return effort == Effort.CHECK ? 0 : 1;
    }

    int keys() {
        return effort == Effort.CHECK ? 1_000 : ManyKeysBenchmark.KEYS;
    }

    int heapKeys(Suite.HeapCase one) {
        return effort == Effort.CHECK ? keys() : one.keys();
    }

    /** The cases of a round, in order. Every second round is reversed, so that a drift affects all cases equally. */
    List<Suite.Case> casesOf(int round) {
        List<Suite.Case> cases = Suite.GROUPS.stream()
                .flatMap(group -> group.cases().stream())
                .filter(one -> isChosen(one, round))
                .toList();
        return round % 2 == 0 ? cases : reversed(cases);
    }

    List<Suite.HeapCase> heapCases() {
        return Suite.HEAP.stream()
                .filter(one -> one.id().contains(only)
                        && !(effort == Effort.QUICK && !one.id().equals("heap/1m/weir")))
                .toList();
    }

    int steps() {
        int steps = heapCases().size();
        for (int round = 0; round < rounds; round++) {
            steps += casesOf(round).size();
        }
        return steps;
    }

    private boolean isChosen(Suite.Case one, int round) {
        Suite.Contestant contestant = one.contestant();
        boolean makesSense = !contestant.benchmark().equals("nanoTime")
                || !one.variant().parameters().containsValue(ExpectedOutcome.DENIED.name());
        boolean quick = effort == Effort.QUICK;
        boolean isQuickEnough = !quick || one.variant().threads() == 1;
        boolean hasTurn = contestant.role() != Suite.Role.CONTEXT || (round == 0 && !quick);
        return makesSense && isQuickEnough && hasTurn && one.id().contains(only);
    }

    private static <T> List<T> reversed(List<T> list) {
        int last = list.size() - 1;
        return Stream.iterate(last, at -> at >= 0, at -> at - 1).map(list::get).toList();
    }
}
