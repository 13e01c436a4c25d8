package dev.weir.binding.servlet;

import dev.weir.engine.idempotency.IdempotencyGate;
import dev.weir.engine.idempotency.IdempotencyKeys;
import dev.weir.spi.idempotency.ResponseStore;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * How requests with an idempotency key are done once and answered each time.
 *
 * @param responses where responses are remembered; the filter does not close it
 * @param header the header with the key
 * @param per the attributes of which the first present says whose key it is, so that nobody is shown another's response
 * @param applies to which requests; others may carry the header to no effect
 * @param required whether such a request must have a key
 * @param ttl how long a response is remembered
 * @param patience how long the work may take; after that the key is free again, as whoever began may have died
 * @param waiting how long a repeated request waits for the first to be answered; after that, or at once if zero, it is
 *     answered 409
 * @param largestRequest the largest body, in bytes, of a request with a key
 * @param largestResponse the largest body, in bytes, that is remembered
 * @param remembers the statuses that are; after any other a repeated request is done again
 */
public record Idempotency(
        ResponseStore responses,
        String header,
        List<String> per,
        Predicate<HttpServletRequest> applies,
        boolean required,
        Duration ttl,
        Duration patience,
        Duration waiting,
        int largestRequest,
        int largestResponse,
        IntPredicate remembers) {
    /** Room for the status and the headers beside the body. */
    private static final int HEADERS = 64 * 1024;

    public Idempotency {
        per = List.copyOf(per);
        if (largestResponse < 0 || largestResponse > ResponseStore.LARGEST_RESPONSE - HEADERS) {
            throw new IllegalArgumentException("largestResponse is " + largestResponse + "; it must be 0 to "
                    + (ResponseStore.LARGEST_RESPONSE - HEADERS));
        }
        if (largestRequest < 0) {
            throw new IllegalArgumentException("largestRequest is " + largestRequest + "; it must be at least 0");
        }
    }

    /** {@code Idempotency-Key} of POST and PATCH, per user or else address, for a day. */
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
        return copy(newHeader, per, applies, required, ttl, patience, waiting, remembers);
    }

    /** Whose key it is: the first of these attributes that a request has. */
    public Idempotency per(String... attributes) {
        return copy(header, List.of(attributes), applies, required, ttl, patience, waiting, remembers);
    }

    /** For requests that fulfil this condition, in place of POST and PATCH. */
    public Idempotency onlyIf(Predicate<HttpServletRequest> newApplies) {
        return copy(header, per, newApplies, required, ttl, patience, waiting, remembers);
    }

    /** Refuses requests to which it applies and that have no key. */
    public Idempotency requiring() {
        return copy(header, per, applies, true, ttl, patience, waiting, remembers);
    }

    public Idempotency withTtl(Duration newTtl) {
        return copy(header, per, applies, required, newTtl, patience, waiting, remembers);
    }

    public Idempotency withPatience(Duration newPatience) {
        return copy(header, per, applies, required, ttl, newPatience, waiting, remembers);
    }

    /** Lets a repeated request wait for the first. */
    public Idempotency waiting(Duration newWaiting) {
        return copy(header, per, applies, required, ttl, patience, newWaiting, remembers);
    }

    public Idempotency withLargest(int newRequest, int newResponse) {
        return new Idempotency(
                responses, header, per, applies, required, ttl, patience, waiting, newRequest, newResponse, remembers);
    }

    public Idempotency remembering(IntPredicate statuses) {
        return copy(header, per, applies, required, ttl, patience, waiting, statuses);
    }

    /** The same responses and sizes. */
    private Idempotency copy(
            String newHeader,
            List<String> newPer,
            Predicate<HttpServletRequest> newApplies,
            boolean newRequired,
            Duration newTtl,
            Duration newPatience,
            Duration newWaiting,
            IntPredicate newRemembers) {
        return new Idempotency(
                responses,
                newHeader,
                newPer,
                newApplies,
                newRequired,
                newTtl,
                newPatience,
                newWaiting,
                largestRequest,
                largestResponse,
                newRemembers);
    }

    IdempotencyGate gate() {
        return new IdempotencyGate(
                responses, header, per, required, ttl, patience, waiting, largestRequest, largestResponse, remembers);
    }

    /** Whether its body has to be looked at: that of a form with files is not, as it differs each time it is sent. */
    boolean wantsBody(HttpServletRequest request) {
        return applies.test(request) && request.getHeader(header) != null && !isMultipart(request);
    }

    /** By which a key that is used for something else is noticed; null if the body is too large. */
    byte @Nullable [] digest(HttpServletRequest request) {
        byte[] body = new byte[0];
        if (isMultipart(request)) {
            // Its boundary is another each time; its length is not.
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
