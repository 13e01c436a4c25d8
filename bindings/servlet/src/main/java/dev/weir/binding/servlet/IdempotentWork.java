package dev.weir.binding.servlet;

import dev.weir.Answer;
import dev.weir.Key;
import dev.weir.StoreException;
import dev.weir.engine.idempotency.StoredResponse;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/** Work that was begun under an idempotency key: it ends once, remembered or free to be done again. */
final class IdempotentWork {
    private static final Logger LOG = System.getLogger(IdempotentWork.class.getName());
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Idempotency rules;
    private final Key key;
    private final String token;
    private final AtomicBoolean isOver = new AtomicBoolean();

    IdempotentWork(Idempotency rules, Key key, String token) {
        this.rules = rules;
        this.key = key;
        this.token = token;
    }

    int largestResponse() {
        return rules.largestResponse();
    }

    boolean remembers(int status) {
        return rules.remembers().test(status);
    }

    /** Remembers the response, before the client has seen the end of it. */
    void complete(StoredResponse response) {
        if (isOver.compareAndSet(false, true)) {
            await("remembered", rules.responses().complete(key, token, response.toBytes(), rules.ttl()));
        }
    }

    /** Lets the next request with the key begin anew. */
    void abandon() {
        if (isOver.compareAndSet(false, true)) {
            await("given up", rules.responses().abandon(key, token));
        }
    }

    /** The client gets its response all the same: the work is done. */
    private static void await(String what, Answer<Boolean> answer) {
        try {
            answer.await(PATIENCE);
        } catch (StoreException e) {
            LOG.log(Level.WARNING, "a response with an idempotency key could not be " + what, e);
        }
    }
}
