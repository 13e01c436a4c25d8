package dev.weir.benchmarks.load;

/**
 * The work of a backend so far, by its own counters; not a number where it has none.
 *
 * @param commands that clients have sent
 * @param decisions calls that decide; one may decide several checks if the contestant batches
 */
public record Usage(double cpuMicros, double commands, double decisions) {
    public static final Usage UNKNOWN = new Usage(Double.NaN, Double.NaN, Double.NaN);

    Usage minus(Usage earlier) {
        return new Usage(cpuMicros - earlier.cpuMicros, commands - earlier.commands, decisions - earlier.decisions);
    }
}
