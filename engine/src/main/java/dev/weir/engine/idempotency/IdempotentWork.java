package dev.weir.engine.idempotency;

import dev.weir.Answer;
import dev.weir.Key;
import dev.weir.remote.Answers;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Work that was begun under an idempotency key. It ends once: its response is stored, or the key is free again. No
 * answer fails: the work is done, so the client gets its response in any case.
 */
public final class IdempotentWork {
    private static final Logger LOG = System.getLogger(IdempotentWork.class.getName());

    private final IdempotencyGate gate;
    private final Key key;
    private final String token;
    private final AtomicBoolean isOver = new AtomicBoolean();

    IdempotentWork(IdempotencyGate gate, Key key, String token) {
        this.gate = gate;
        this.key = key;
        this.token = token;
    }

    /** The largest body of a response that is stored, in bytes. */
    public int largestResponse() {
        return gate.largestResponse();
    }

    /**
     * Stores the response before the client has received all of it, unless its status may differ next time. For a
     * response that is too large, only the fact that the work was done is stored.
     *
     * @param body null if it is too large
     */
    public Answer<Boolean> end(
            int status,
            boolean isError,
            @Nullable String contentType,
            List<StoredResponse.Header> headers,
            byte @Nullable [] body) {
        if (!gate.remembers().test(status)) {
            return abandon();
        }
        StoredResponse kept = body == null || !StoredResponse.fits(headers)
                ? StoredResponse.withheld()
                : new StoredResponse(status, isError, contentType, headers, body);
        return once("remembered", () -> gate.responses().complete(key, token, kept.toBytes(), gate.ttl()));
    }

    /** Frees the key, so that the next request with it begins anew. */
    public Answer<Boolean> abandon() {
        return once("given up", () -> gate.responses().abandon(key, token));
    }

    private Answer<Boolean> once(String what, Supplier<Answer<Boolean>> ending) {
        if (!isOver.compareAndSet(false, true)) {
            return Answer.of(false);
        }
        return Answers.then(Answers.of(ending), Answer::of, failure -> {
            LOG.log(Level.WARNING, "a response with an idempotency key could not be " + what, failure);
            return Answer.of(false);
        });
    }
}
