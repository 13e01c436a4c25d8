package dev.weir.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The measured cases: groups of contestants that are compared with each other in several variants. */
final class Suite {
    static final Group HOT = new Group(
            "hot",
            "hot key",
            "One hot key",
            HotKeyBenchmark.class,
            List.of(
                    hot(ExpectedOutcome.ALLOWED, 1),
                    hot(ExpectedOutcome.ALLOWED, 2),
                    hot(ExpectedOutcome.DENIED, 1),
                    hot(ExpectedOutcome.DENIED, 2)),
            List.of(
                    new Contestant("nanoTime", "System.nanoTime() alone", Role.LIMIT),
                    new Contestant("bare", "bare GCRA, precise clock (the limit)", Role.LIMIT),
                    new Contestant("bareTicking", "bare GCRA, ticking clock (the limit)", Role.LIMIT),
                    new Contestant("weirHandle", "Weir, handle", Role.WEIR),
                    new Contestant("weirTicking", "Weir, handle, ticking clock", Role.WEIR),
                    new Contestant("weirString", "Weir, by string", Role.WEIR),
                    new Contestant("bucket4j", "Bucket4j, lock-free (its default)", Role.PEER),
                    new Contestant("bucket4jSynchronized", "Bucket4j, synchronized", Role.PEER),
                    new Contestant("bucket4jProbe", "Bucket4j, with probe", Role.PEER),
                    new Contestant("resilience4j", "Resilience4j", Role.PEER),
                    new Contestant("guava", "Guava", Role.PEER),
                    new Contestant("failsafe", "Failsafe", Role.PEER)),
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
                    new Contestant("openTable", "open-addressing long[] + bare GCRA (the limit)", Role.LIMIT),
                    new Contestant("weir", "Weir, by string", Role.WEIR),
                    new Contestant("mapOfBuckets", "ConcurrentHashMap + Bucket4j", Role.PEER),
                    new Contestant("mapOfLongs", "ConcurrentHashMap + AtomicLong, bare GCRA", Role.CONTEXT),
                    new Contestant("registry", "Resilience4j registry", Role.CONTEXT)),
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
                    new Contestant("weirOne", "Weir, one limit", Role.WEIR),
                    new Contestant("weirFour", "Weir, four limits, all or nothing", Role.WEIR),
                    new Contestant("bucket4jOne", "Bucket4j, one bucket", Role.PEER),
                    new Contestant("bucket4jFour", "Bucket4j, four buckets one after another", Role.PEER)),
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
                    new Contestant("one", "one limit applies", Role.WEIR),
                    new Contestant("four", "four limits apply", Role.WEIR),
                    new Contestant("fourTold", "four limits apply, and the tightest is reported", Role.WEIR),
                    new Contestant("fourDenied", "four limits apply, one denies", Role.WEIR)),
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

    private static Variant hot(ExpectedOutcome outcome, int threads) {
        String word = outcome == ExpectedOutcome.ALLOWED ? "allowed" : "denied";
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
     * @param reference the contestant that the ratios refer to
     * @param iterationMillis the duration of one iteration in a full run: a slow operation needs more time
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
        /** All cases, with compared ones next to each other. */
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

    /** Conditions under which all contestants of a group are measured. */
    record Variant(String id, String label, Map<String, String> parameters, int threads) {}

    enum Role {
        /** A physical limit. */
        LIMIT,
        WEIR,
        PEER,
        /** A peer that is shown but has no bar; it is measured less often. */
        CONTEXT
    }

    /** @param benchmark the method or class that measures it, or the name of a {@link KeyedLimiter} */
    record Contestant(String benchmark, String label, Role role) {}

    record Case(Group group, Variant variant, Contestant contestant) {
        String id() {
            return group.id + "/" + variant.id + "/" + contestant.benchmark;
        }

        /** The name of the benchmark in JMH. */
        String method() {
            String type = group.benchmark.getName() + ".";
            if (group.equals(KEYS)) {
                return type + "check";
            }
            String name = contestant.benchmark;
            return group.equals(HOT)
                    ? type + Character.toUpperCase(name.charAt(0)) + name.substring(1) + ".check"
                    : type + name;
        }

        String label() {
            return group.name + ", " + variant.label + ": " + contestant.label;
        }
    }

    /** The heap that a contestant takes for so many keys. */
    record HeapCase(String limiter, String label, int keys) {
        String id() {
            return "heap/" + millions() + "m/" + limiter;
        }

        int millions() {
            return keys / 1_000_000;
        }
    }
}
