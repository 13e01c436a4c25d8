package dev.weir.binding.servlet;

import dev.weir.engine.Outcome;
import dev.weir.engine.idempotency.StoredResponse;
import org.jspecify.annotations.Nullable;

/** What becomes of a request. */
sealed interface Verdict {
    /** It goes on; its response is remembered if it is work under an idempotency key. */
    record Proceed(Outcome outcome, @Nullable IdempotentWork work) implements Verdict {}

    /** A limit refuses it. */
    record Refuse(Outcome outcome) implements Verdict {}

    /** It was done before: the same response again, with the limits as they are now. */
    record Replay(StoredResponse response, Outcome present) implements Verdict {}

    /** It is not even asked about. */
    record Reject(Problem problem) implements Verdict {}
}
