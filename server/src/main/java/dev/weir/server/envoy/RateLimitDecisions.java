package dev.weir.server.envoy;

import dev.weir.Answer;

/** Decides requests of Envoy's rate limit service. Safe for use by many threads. */
public interface RateLimitDecisions {
    /** Decides all descriptors of a query. A store that fails is reported as the engine's failure policy says. */
    Answer<RateLimitReply> decide(RateLimitQuery query);

    /** Counts a request that was refused before it could be decided, because it is invalid. */
    default void countInvalid() {}

    /** Returns the active configuration as text, for {@code /rlconfig}. */
    String configurationText();
}
