package dev.weir.benchmarks;

import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;

/**
 * Prints how many bytes of heap a limiter takes for each key, besides the callers' strings. A program of its own, so
 * that nothing else is in its heap.
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

    /** Collects until it no longer helps. */
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
