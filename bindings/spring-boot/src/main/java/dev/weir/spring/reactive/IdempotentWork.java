package dev.weir.spring.reactive;

import dev.weir.Answer;
import dev.weir.Key;
import dev.weir.engine.idempotency.IdempotencyKeys;
import dev.weir.engine.idempotency.StoredResponse;
import dev.weir.spi.idempotency.ResponseStore;
import dev.weir.spring.web.AnswerMono;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** Work that was begun under an idempotency key: it ends once, remembered or free to be done again. */
final class IdempotentWork {
    private static final Logger LOG = System.getLogger(IdempotentWork.class.getName());

    private final ResponseStore responses;
    private final Key key;
    private final String token;
    private final Duration ttl;
    private final AtomicBoolean isOver = new AtomicBoolean();

    IdempotentWork(ResponseStore responses, Key key, String token, Duration ttl) {
        this.responses = responses;
        this.key = key;
        this.token = token;
        this.ttl = ttl;
    }

    /**
     * Remembers the response, unless its status is one that may be another next time.
     *
     * @param response null if it is too large
     */
    Mono<Void> end(int status, @Nullable StoredResponse response) {
        if (!IdempotencyKeys.remembers(status)) {
            return abandon();
        }
        StoredResponse kept = response == null ? StoredResponse.withheld() : response;
        return once("remembered", () -> responses.complete(key, token, kept.toBytes(), ttl));
    }

    /** Lets the next request with the key begin anew. */
    Mono<Void> abandon() {
        return once("given up", () -> responses.abandon(key, token));
    }

    /** The client gets its response all the same: the work is done. */
    private Mono<Void> once(String what, Supplier<Answer<Boolean>> ending) {
        return Mono.defer(() -> isOver.compareAndSet(false, true)
                ? AnswerMono.of(ending.get()).then().onErrorResume(failure -> {
                    LOG.log(Level.WARNING, "a response with an idempotency key could not be " + what, failure);
                    return Mono.empty();
                })
                : Mono.empty());
    }
}
