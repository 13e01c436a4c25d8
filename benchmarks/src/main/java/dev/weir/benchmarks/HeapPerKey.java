package dev.weir.benchmarks;

import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;

/**
 * Prints the bytes of heap that a limiter takes for each key, without the callers' strings. It runs in its own JVM, so
 * that nothing else is in the heap.
 */
final class HeapPerKey {
    private HeapPerKey() {}

    public static void main(String[] args) {
        System.out.println(measure(args[0], Integer.parseInt(args[1])));
    }

    static double measure(String name, int count) {
        KeyedLimiter.of(name, 1).fill(Keys.make(1)); // loads the classes
        String[] keys = Keys.make(count);
        long before = usedAfterCollecting();
        KeyedLimiter limiter = KeyedLimiter.of(name, count);
        try {
            limiter.fill(keys);
            return (usedAfterCollecting() - before) / (double) count;
        } finally {
            Reference.reachabilityFence(limiter);
            Reference.reachabilityFence(keys);
        }
    }

    /** Collects garbage until usage stops falling. */
    private static long usedAfterCollecting() {
        long used = Long.MAX_VALUE;
        while (true) {
            System.gc();
            long now = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
            if (now >= used - used / 1_000) {
                return Math.min(now, used);
            }
            used = now;
        }
    }
}
