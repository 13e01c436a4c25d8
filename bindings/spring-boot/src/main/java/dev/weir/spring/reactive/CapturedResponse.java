package dev.weir.spring.reactive;

import dev.weir.engine.idempotency.IdempotentWork;
import dev.weir.engine.idempotency.StoredResponse;
import dev.weir.spring.web.AnswerMono;
import java.io.ByteArrayOutputStream;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A response that is sent as it is written and stored under its idempotency key. It is stored before its last bytes
 * leave, so that a client that has read it and repeats the request finds it.
 */
final class CapturedResponse extends ServerHttpResponseDecorator {
    private final IdempotentWork work;
    private final Map<String, List<String>> before;
    private final ByteArrayOutputStream copy = new ByteArrayOutputStream();
    private long length;

    CapturedResponse(ServerHttpResponse response, IdempotentWork work) {
        super(response);
        this.work = work;
        this.before = headers();
    }

    @Override
    public Mono<Void> writeWith(Publisher<? extends DataBuffer> body) {
        return super.writeWith(
                body instanceof Mono<? extends DataBuffer> one
                        ? one.flatMap(this::last).switchIfEmpty(remember().then(Mono.empty()))
                        : captured(Flux.from(body)).concatWith(remember().then(Mono.empty())));
    }

    @Override
    public Mono<Void> writeAndFlushWith(Publisher<? extends Publisher<? extends DataBuffer>> body) {
        return super.writeAndFlushWith(Flux.from(body)
                .<Publisher<? extends DataBuffer>>map(part -> captured(Flux.from(part)))
                .concatWith(remember().then(Mono.empty())));
    }

    @Override
    public Mono<Void> setComplete() {
        return remember().then(Mono.defer(super::setComplete));
    }

    /** Stores the response as it is now, unless that was done. */
    Mono<Void> remember() {
        return Mono.defer(() -> {
            HttpStatusCode code = getStatusCode();
            int status = code == null ? 200 : code.value();
            String type = getHeaders().getFirst(HttpHeaders.CONTENT_TYPE);
            // Without the headers of filters in front of this one, which set theirs again on a replay.
            List<StoredResponse.Header> own = StoredResponse.headersOf(before, headers());
            return AnswerMono.of(work.end(status, false, type, own, copied())).then();
        });
    }

    private Flux<DataBuffer> captured(Flux<? extends DataBuffer> body) {
        return body.concatMap(buffer -> {
            copy(buffer);
            long expected = getHeaders().getContentLength();
            return expected >= 0 && length >= expected ? remember().thenReturn(buffer) : Mono.just(buffer);
        });
    }

    private Mono<DataBuffer> last(DataBuffer buffer) {
        copy(buffer);
        return remember().thenReturn(buffer);
    }

    private synchronized void copy(DataBuffer buffer) {
        int count = buffer.readableByteCount();
        length += count;
        if (length <= work.largestResponse()) {
            byte[] bytes = new byte[count];
            int at = buffer.readPosition();
            buffer.read(bytes);
            buffer.readPosition(at);
            copy.writeBytes(bytes);
        } else {
            copy.reset();
        }
    }

    /** Returns the body; null if it is too large. */
    private synchronized byte @Nullable [] copied() {
        return length > work.largestResponse() ? null : copy.toByteArray();
    }

    private Map<String, List<String>> headers() {
        Map<String, List<String>> headers = new HashMap<>();
        getHeaders().headerSet().forEach(entry -> headers.put(entry.getKey(), List.copyOf(entry.getValue())));
        return headers;
    }
}
