package dev.weir.remote;

/**
 * How much of a trip a question takes up.
 *
 * @param <Q> what is asked
 */
@FunctionalInterface
public interface Weigher<Q> {

    /** Its part of {@link CombinerOptions#mostTogether}, at least 1. */
    int weight(Q question);

    /** Whether a question costs next to nothing beside another, as the same is asked. */
    default boolean isLightBeside(Q other, Q question) {
        return false;
    }
}
