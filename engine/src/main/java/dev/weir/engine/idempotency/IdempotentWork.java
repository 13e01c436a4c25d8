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
 * Work that was begun under an idempotency key: it ends once, remembered or free to be done again. No answer fails: the
 * client gets its response all the same, as the work is done.
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

    /** The largest body, in bytes, that is remembered. */
    public int largestResponse() {
        return gate.largestResponse();
    }

    /**
     * Remembers the response before the client has seen the end of it, unless its status is one that may be another next
     * time. Of one that is too large, only that it was done.
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

    /** Lets the next request with the key begin anew. */
    public Answer<Boolean> abandon() {
        return once("given up", () -> gate.responses().abandon(key, token));
    }

    private Answer<Boolean> once(String what, Supplier<Answer<Boolean>> ending) {
        if (!isOver.compareAndSet(false, true)) {
            return Answer.of(false);
        }
        return Answers.then(ending.get(), Answer::of, failure -> {
            LOG.log(Level.WARNING, "a response with an idempotency key could not be " + what, failure);
            return Answer.of(false);
        });
    }
}
