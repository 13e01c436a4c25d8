package dev.weir.binding.servlet;

import dev.weir.engine.idempotency.IdempotencyGate;
import dev.weir.engine.idempotency.IdempotencyKeys;
import dev.weir.spi.idempotency.ResponseStore;
import dev.weir.spi.idempotency.ResponseStoreArguments;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Settings for requests with an idempotency key, which are executed once and answered each time. Immutable.
 *
 * @param responses the store for responses; the filter does not close it
 * @param header the header with the key
 * @param per the attributes that own a key; the first one that a request has counts, so that no client sees another
 *     client's response
 * @param applies selects the requests; on other requests the header has no effect
 * @param required whether such a request must have a key
 * @param ttl how long a response is stored
 * @param processingTimeout how long the work may take; then the key is free again, as the process that began may have died
 * @param waiting how long a repeated request waits for the response of the first; then, or at once if zero, it gets 409
 * @param largestRequest the largest body, in bytes, of a request with a key
 * @param largestResponse the largest body, in bytes, that is stored
 * @param remembers selects the statuses of responses that are stored; after any other status, a repeated request is
 *     executed again
 */
public record Idempotency(
        ResponseStore responses,
        String header,
        List<String> per,
        Predicate<HttpServletRequest> applies,
        boolean required,
        Duration ttl,
        Duration processingTimeout,
        Duration waiting,
        int largestRequest,
        int largestResponse,
        IntPredicate remembers) {
    /*
     * Life of a key, in the ResponseStore:
     * - free: no request has used the key, its entry expired, or the work was abandoned.
     * - in flight: one request began the work and holds a token. Other requests with the key wait up to "waiting" and
     *   then get 409. After "processingTimeout" the key is free again. Once another request has begun, the old token
     *   has no effect.
     * - done: the response is stored for "ttl". Repeated requests get it again and are not charged.
     *
     * Besides that timeout, only the holder of the token leaves "in flight", once: to "done" if "remembers" accepts the
     * status, otherwise to "free". The store makes the transition before the last bytes leave, so that a client that
     * has read its response finds it stored.
     *
     * A digest of method, URI, query and body belongs to the key. A request with the same key and another digest gets
     * 422. If the response is too large, only the fact that the work was done is stored, and a repeated request gets
     * 409. If the store fails at the beginning, the request gets 503 and is not executed. If it fails at the end, the
     * client still gets its response; a repeat after "processingTimeout" is executed again.
     */

    /** Bytes reserved for the status and the headers beside the body. */
    private static final int HEADERS = 64 * 1024;

    public Idempotency {
        per = List.copyOf(per);
        ResponseStoreArguments.checkTime("ttl", ttl);
        ResponseStoreArguments.checkTime("processingTimeout", processingTimeout);
        if (largestResponse < 0 || largestResponse > ResponseStore.LARGEST_RESPONSE - HEADERS) {
            throw new IllegalArgumentException("largestResponse is " + largestResponse + "; it must be 0 to "
                    + (ResponseStore.LARGEST_RESPONSE - HEADERS));
        }
        if (largestRequest < 0) {
            throw new IllegalArgumentException("largestRequest is " + largestRequest + "; it must be at least 0");
        }
    }

    /** Returns the defaults: {@code Idempotency-Key} of POST and PATCH, per user or else address, for a day. */
    public static Idempotency with(ResponseStore responses) {
        return new Idempotency(
                responses,
                "Idempotency-Key",
                List.of("user", "ip"),
                request -> IdempotencyKeys.concerns(request.getMethod()),
                false,
                Duration.ofDays(1),
                Duration.ofMinutes(1),
                Duration.ZERO,
                1 << 20,
                512 * 1024,
                IdempotencyKeys::remembers);
    }

    public Idempotency withHeader(String newHeader) {
        return copy(newHeader, per, applies, required, ttl, processingTimeout, waiting, remembers);
    }

    /** Sets the attributes that own a key. The first one that a request has counts. */
    public Idempotency per(String... attributes) {
        return copy(header, List.of(attributes), applies, required, ttl, processingTimeout, waiting, remembers);
    }

    /** Applies to requests that match this condition, instead of POST and PATCH. */
    public Idempotency onlyIf(Predicate<HttpServletRequest> newApplies) {
        return copy(header, per, newApplies, required, ttl, processingTimeout, waiting, remembers);
    }

    /** Refuses matching requests that have no key. */
    public Idempotency requiring() {
        return copy(header, per, applies, true, ttl, processingTimeout, waiting, remembers);
    }

    public Idempotency withTtl(Duration newTtl) {
        return copy(header, per, applies, required, newTtl, processingTimeout, waiting, remembers);
    }

    public Idempotency withProcessingTimeout(Duration newProcessingTimeout) {
        return copy(header, per, applies, required, ttl, newProcessingTimeout, waiting, remembers);
    }

    /** Lets a repeated request wait for the response of the first. */
    public Idempotency waiting(Duration newWaiting) {
        return copy(header, per, applies, required, ttl, processingTimeout, newWaiting, remembers);
    }

    public Idempotency withLargest(int newRequest, int newResponse) {
        return new Idempotency(
                responses,
                header,
                per,
                applies,
                required,
                ttl,
                processingTimeout,
                waiting,
                newRequest,
                newResponse,
                remembers);
    }

    public Idempotency remembering(IntPredicate statuses) {
        return copy(header, per, applies, required, ttl, processingTimeout, waiting, statuses);
    }

    /** Returns a copy with the same response store and sizes. */
    private Idempotency copy(
            String newHeader,
            List<String> newPer,
            Predicate<HttpServletRequest> newApplies,
            boolean newRequired,
            Duration newTtl,
            Duration newProcessingTimeout,
            Duration newWaiting,
            IntPredicate newRemembers) {
        return new Idempotency(
                responses,
                newHeader,
                newPer,
                newApplies,
                newRequired,
                newTtl,
                newProcessingTimeout,
                newWaiting,
                largestRequest,
                largestResponse,
                newRemembers);
    }

    IdempotencyGate gate() {
        return new IdempotencyGate(
                responses,
                header,
                per,
                required,
                ttl,
                processingTimeout,
                waiting,
                largestRequest,
                largestResponse,
                remembers);
    }

    /** Whether the body is needed for the digest. A multipart body is not, as it differs on each transmission. */
    boolean wantsBody(HttpServletRequest request) {
        return applies.test(request) && request.getHeader(header) != null && !isMultipart(request);
    }

    /** Returns the digest that detects a key used for another request; null if the body is too large. */
    byte @Nullable [] digest(HttpServletRequest request) {
        byte[] body = new byte[0];
        if (isMultipart(request)) {
            // The boundary of a multipart body changes on each transmission; the length does not.
            body = Long.toString(request.getContentLengthLong()).getBytes(StandardCharsets.US_ASCII);
        } else if (request instanceof BufferedRequest buffered) {
            body = buffered.wholeBody();
            if (body == null || body.length > largestRequest) {
                return null;
            }
        }
        return IdempotencyKeys.digest(request.getMethod(), request.getRequestURI(), request.getQueryString(), body);
    }

    private static boolean isMultipart(HttpServletRequest request) {
        String type = request.getContentType();
        return type != null && type.toLowerCase(Locale.ROOT).startsWith("multipart/");
    }
}
