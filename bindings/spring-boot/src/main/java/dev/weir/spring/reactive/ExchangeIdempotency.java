package dev.weir.spring.reactive;

import dev.weir.Answer;
import dev.weir.Key;
import dev.weir.engine.http.DecisionText;
import dev.weir.engine.http.HeaderName;
import dev.weir.engine.http.ProblemText;
import dev.weir.engine.idempotency.IdempotencyKeys;
import dev.weir.engine.idempotency.StoredResponse;
import dev.weir.remote.Answers;
import dev.weir.spi.idempotency.Beginning;
import dev.weir.spi.idempotency.ResponseStore;
import dev.weir.spring.WeirProperties;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Finds out whether a request with an idempotency key is new, being done, or done. */
final class ExchangeIdempotency {
    /** The largest body of a request with a key, in bytes. */
    static final int LARGEST_REQUEST = 1 << 20;

    private static final List<String> PER = List.of("user", "ip");
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final WeirProperties.Idempotency rules;
    private final ResponseStore responses;

    ExchangeIdempotency(WeirProperties.Idempotency rules, ResponseStore responses) {
        this.rules = rules;
        this.responses = responses;
    }

    /** What is known of a request by its key. */
    sealed interface Finding {
        /** It is not one of those that are done once. */
        record None() implements Finding {}

        /** It was not done before. */
        record Fresh(IdempotentWork work) implements Finding {}

        /** It was done before. */
        record Known(StoredResponse response) implements Finding {}

        /** It is not done, for this reason. */
        record Rejected(int status, String title, String error, String detail, int retryAfterSecs) implements Finding {
            Mono<Void> send(ServerWebExchange exchange) {
                exchange.getResponse().setStatusCode(HttpStatusCode.valueOf(status));
                if (retryAfterSecs > 0) {
                    exchange.getResponse().getHeaders().set(HeaderName.RETRY_AFTER, Integer.toString(retryAfterSecs));
                }
                return ReactiveRefusal.send(
                        exchange, DecisionText.PROBLEM_TYPE, ProblemText.document(status, title, error, detail));
            }
        }
    }

    /** The exchange, its body read if it has to be looked at. That of a form with files differs each time it is sent. */
    Mono<ServerWebExchange> withBody(ServerWebExchange exchange) {
        ServerHttpRequest request = exchange.getRequest();
        return concerns(request) && request.getHeaders().getFirst(rules.header()) != null && !isMultipart(request)
                ? BufferedExchange.read(exchange, LARGEST_REQUEST)
                : Mono.just(exchange);
    }

    /** The answer never fails. */
    Answer<Finding> find(ServerWebExchange exchange, Map<String, String> attributes) {
        ServerHttpRequest request = exchange.getRequest();
        List<String> lines = concerns(request) ? ExchangeReader.lines(request, rules.header()) : List.of();
        if (lines.isEmpty()) {
            return Answer.of(
                    concerns(request) && rules.required()
                            ? badRequest("this request needs the header " + rules.header() + ", unique to it")
                            : new Finding.None());
        }
        String text = lines.size() == 1 ? IdempotencyKeys.parse(lines.get(0)) : null;
        if (text == null) {
            return Answer.of(badRequest("the header " + rules.header() + " must be there once, with 1 to "
                    + IdempotencyKeys.LONGEST_KEY + " visible ASCII characters"));
        }
        byte[] body = body(exchange);
        if (body == null) {
            return Answer.of(new Finding.Rejected(
                    413,
                    "Content Too Large",
                    "too_large",
                    "a request with the header " + rules.header() + " may have a body of " + LARGEST_REQUEST + " bytes",
                    0));
        }
        byte[] digest = IdempotencyKeys.digest(
                request.getMethod().name(),
                request.getURI().getRawPath(),
                request.getURI().getRawQuery(),
                body);
        Key key = IdempotencyKeys.key(PER, attributes, text);
        return Answers.then(
                responses.begin(key, digest, PATIENCE),
                beginning -> Answer.of(finding(key, beginning)),
                failure -> Answer.of(unavailable()));
    }

    /** Whether it was done before cannot be told, so it is not done. */
    static Finding.Rejected unavailable() {
        return new Finding.Rejected(
                503, "Service Unavailable", "unavailable", "Idempotency is temporarily unavailable", 60);
    }

    private Finding finding(Key key, Beginning beginning) {
        if (beginning instanceof Beginning.Begun begun) {
            return new Finding.Fresh(new IdempotentWork(responses, key, begun.token(), rules.ttl()));
        }
        if (beginning instanceof Beginning.Done done) {
            StoredResponse response = StoredResponse.of(done.response());
            return response.isWithheld()
                    ? conflict("this request was done before; its response was too large to be remembered", 0)
                    : new Finding.Known(response);
        }
        return beginning instanceof Beginning.InFlight
                ? conflict("a request with this " + rules.header() + " is being done", 1)
                : new Finding.Rejected(
                        422,
                        "Unprocessable Content",
                        "idempotency_key_reused",
                        "this " + rules.header() + " was used for another request",
                        0);
    }

    private static Finding badRequest(String detail) {
        return new Finding.Rejected(400, "Bad Request", "bad_request", detail, 0);
    }

    private static Finding conflict(String detail, int retryAfterSecs) {
        return new Finding.Rejected(409, "Conflict", "conflict", detail, retryAfterSecs);
    }

    private static boolean concerns(ServerHttpRequest request) {
        return IdempotencyKeys.concerns(request.getMethod().name());
    }

    /** Null if it is too large. Of a form with files, the length stands for the content. */
    private static byte @Nullable [] body(ServerWebExchange exchange) {
        return isMultipart(exchange.getRequest())
                ? Long.toString(exchange.getRequest().getHeaders().getContentLength())
                        .getBytes(StandardCharsets.US_ASCII)
                : BufferedExchange.body(exchange);
    }

    private static boolean isMultipart(ServerHttpRequest request) {
        MediaType type = request.getHeaders().getContentType();
        return type != null && type.getType().equalsIgnoreCase("multipart");
    }
}
