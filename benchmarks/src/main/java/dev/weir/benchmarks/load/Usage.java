package dev.weir.benchmarks.load;

/**
 * What a backend has done so far, by its own count; not a number where it does not count.
 *
 * @param commands that clients have sent
 * @param decisions calls that decide; one may decide for several checks if the contestant batches
 */
public record Usage(double cpuMicros, double commands, double decisions) {
    static final Usage UNKNOWN = new Usage(Double.NaN, Double.NaN, Double.NaN);

    Usage minus(Usage earlier) {
        return new Usage(cpuMicros - earlier.cpuMicros, commands - earlier.commands, decisions - earlier.decisions);
    }
}
