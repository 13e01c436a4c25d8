package dev.weir.testkit.model;

import dev.weir.Policy;
import dev.weir.algorithm.PolicyModel;
import dev.weir.algorithm.Resolution;
import java.time.Instant;
import java.util.function.Function;

/**
 * How a store reads time. The model and the histories need it to agree with the store to the bit.
 *
 * @param resolutions the resolution on which the store keeps a policy
 * @param resolution the finest tick of its clock
 * @param start the time of its clock when it is new
 */
public record Timing(Function<Policy, Resolution> resolutions, Resolution resolution, ModelTime start) {

    /**
     * A store that keeps every policy on one resolution and counts from 1970. A calendar always counts milliseconds.
     */
    public static Timing sinceEpoch(Resolution resolution, Instant start) {
        return new Timing(
                policy -> PolicyModel.at(resolution, policy).resolution(),
                resolution,
                new ModelTime(nanos(start), nanos(start)));
    }

    /** A store whose scripts compute in doubles: microseconds, and coarser ticks for buckets of large numbers. */
    public static Timing inDoubles(Instant start) {
        return new Timing(
                policy -> PolicyModel.inDoubles(policy).resolution(),
                Resolution.MICROS,
                new ModelTime(nanos(start), nanos(start)));
    }

    /**
     * The memory store: nanoseconds, and for each policy the resolution that suits its numbers.
     *
     * @param time the {@link dev.weir.Decision#time()} of a decision that it made at {@code start}
     */
    public static Timing ofMemoryStore(long time, Instant start) {
        return new Timing(
                policy -> PolicyModel.local(policy).resolution(), Resolution.NANOS, new ModelTime(time, nanos(start)));
    }

    /** Whether such a store can keep the policy exactly. */
    public boolean holds(Policy policy) {
        try {
            Resolution unused = resolutions.apply(policy);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** A model of such a store. */
    public ReferenceModel newModel() {
        return new ReferenceModel(resolutions);
    }

    private static long nanos(Instant instant) {
        return Math.addExact(Math.multiplyExact(instant.getEpochSecond(), 1_000_000_000), instant.getNano());
    }
}
