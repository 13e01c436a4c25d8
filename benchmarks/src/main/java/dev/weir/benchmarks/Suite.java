package dev.weir.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What is measured: groups of contestants that are compared with each other in several variants. */
final class Suite {
    static final Group HOT = new Group(
            "hot",
            "hot key",
            "One hot key",
            HotKeyBenchmark.class,
            List.of(hot(Outcome.ALLOWED, 1), hot(Outcome.ALLOWED, 2), hot(Outcome.DENIED, 1), hot(Outcome.DENIED, 2)),
            List.of(
                    Contestant.limit("nanoTime", "System.nanoTime() alone"),
                    Contestant.limit("bare", "bare GCRA, precise clock (the limit)"),
                    Contestant.limit("bareTicking", "bare GCRA, ticking clock (the limit)"),
                    Contestant.weir("weirHandle", "Weir, handle"),
                    Contestant.weir("weirTicking", "Weir, handle, ticking clock"),
                    Contestant.weir("weirString", "Weir, by string"),
                    Contestant.peer("bucket4j", "Bucket4j, lock-free (its default)"),
                    Contestant.peer("bucket4jSynchronized", "Bucket4j, synchronized"),
                    Contestant.peer("bucket4jProbe", "Bucket4j, with probe"),
                    Contestant.peer("resilience4j", "Resilience4j"),
                    Contestant.peer("guava", "Guava"),
                    Contestant.peer("failsafe", "Failsafe")),
            "bare",
            150,
            "512m");

    static final Group KEYS = new Group(
            "keys",
            "1M keys",
            "One million string keys",
            ManyKeysBenchmark.class,
            List.of(
                    keys(Distribution.UNIFORM, 1),
                    keys(Distribution.UNIFORM, 2),
                    keys(Distribution.ZIPF, 1),
                    keys(Distribution.ZIPF, 2)),
            List.of(
                    Contestant.limit("openTable", "open-addressing long[] + bare GCRA (the limit)"),
                    Contestant.weir("weir", "Weir, by string"),
                    Contestant.peer("mapOfBuckets", "ConcurrentHashMap + Bucket4j"),
                    Contestant.context("mapOfLongs", "ConcurrentHashMap + AtomicLong, bare GCRA"),
                    Contestant.context("registry", "Resilience4j registry")),
            "openTable",
            250,
            "3g");

    static final Group FOUR = new Group(
            "four",
            "four limits",
            "Four limits with four keys in one decision",
            FourLimitsBenchmark.class,
            List.of(new Variant("1", "1 thread", Map.of(), 1)),
            List.of(
                    Contestant.weir("weirOne", "Weir, one limit"),
                    Contestant.weir("weirFour", "Weir, four limits, all or nothing"),
                    Contestant.peer("bucket4jOne", "Bucket4j, one bucket"),
                    Contestant.peer("bucket4jFour", "Bucket4j, four buckets one after another")),
            "weirOne",
            150,
            "512m");

    static final Group ENGINE = new Group(
            "engine",
            "engine",
            "A request's attributes through the engine, seven limits configured",
            EngineBenchmark.class,
            List.of(new Variant("1", "1 thread", Map.of(), 1)),
            List.of(
                    Contestant.weir("one", "one limit applies"),
                    Contestant.weir("four", "four limits apply"),
                    Contestant.weir("fourTold", "four limits apply, and the tightest is told"),
                    Contestant.weir("fourDenied", "four limits apply, one refuses")),
            "one",
            800,
            "512m");

    static final List<Group> GROUPS = List.of(HOT, KEYS, FOUR, ENGINE);

    static final List<HeapCase> HEAP = List.of(
            new HeapCase("weir", "Weir", 1_000_000),
            new HeapCase("weir", "Weir", 10_000_000),
            new HeapCase("openTable", "open-addressing long[], bare GCRA", 1_000_000),
            new HeapCase("mapOfLongs", "ConcurrentHashMap + AtomicLong", 1_000_000),
            new HeapCase("mapOfBuckets", "ConcurrentHashMap + Bucket4j", 1_000_000),
            new HeapCase("registry", "Resilience4j registry", 1_000_000));

    private Suite() {}

    private static Variant hot(Outcome outcome, int threads) {
        String word = outcome == Outcome.ALLOWED ? "allowed" : "denied";
        return variant(word, Map.of("outcome", outcome.name()), threads);
    }

    private static Variant keys(Distribution distribution, int threads) {
        String word = distribution == Distribution.UNIFORM ? "uniform" : "zipf";
        return variant(word, Map.of("distribution", distribution.name()), threads);
    }

    private static Variant variant(String word, Map<String, String> parameters, int threads) {
        return new Variant(
                word + "/" + threads,
                word + ", " + threads + (threads == 1 ? " thread" : " threads"),
                parameters,
                threads);
    }

    /**
     * Contestants that are compared with each other.
     *
     * @param reference the one that the others are measured by
     * @param iterationMillis how long one iteration of a full run takes: a slow operation needs more time
     * @param heap the size of the measured JVM's heap
     */
    record Group(
            String id,
            String name,
            String title,
            Class<?> benchmark,
            List<Variant> variants,
            List<Contestant> contestants,
            String reference,
            int iterationMillis,
            String heap) {
        /** Those that are compared with each other stand together. */
        List<Case> cases() {
            List<Case> cases = new ArrayList<>();
            for (Variant variant : variants) {
                for (Contestant contestant : contestants) {
                    cases.add(new Case(this, variant, contestant));
                }
            }
            return cases;
        }

        Case of(String variant, String contestant) {
            return cases().stream()
                    .filter(one -> one.variant.id.equals(variant) && one.contestant.benchmark.equals(contestant))
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** A circumstance under which all contestants of a group are measured. */
    record Variant(String id, String label, Map<String, String> parameters, int threads) {}

    enum Role {
        /** A physical limit. */
        LIMIT,
        WEIR,
        PEER,
        /** A peer that is shown, but by which no bar is judged: it is measured less often. */
        CONTEXT
    }

    record Contestant(String benchmark, String label, Role role) {
        static Contestant limit(String benchmark, String label) {
            return new Contestant(benchmark, label, Role.LIMIT);
        }

        static Contestant weir(String benchmark, String label) {
            return new Contestant(benchmark, label, Role.WEIR);
        }

        static Contestant peer(String benchmark, String label) {
            return new Contestant(benchmark, label, Role.PEER);
        }

        static Contestant context(String benchmark, String label) {
            return new Contestant(benchmark, label, Role.CONTEXT);
        }
    }

    record Case(Group group, Variant variant, Contestant contestant) {
        String id() {
            return group.id + "/" + variant.id + "/" + contestant.benchmark;
        }

        String label() {
            return group.name + ", " + variant.label + ": " + contestant.label;
        }
    }

    /** How much heap a contestant takes for so many keys. */
    record HeapCase(String limiter, String label, int keys) {
        String id() {
            return "heap/" + millions() + "m/" + limiter;
        }

        int millions() {
            return keys / 1_000_000;
        }
    }
}
