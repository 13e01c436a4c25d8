package dev.weir.binding.servlet;

import dev.weir.Answer;
import dev.weir.StoreException;
import dev.weir.engine.Outcome;
import dev.weir.engine.idempotency.IdempotentWork;
import dev.weir.engine.idempotency.StoredResponse;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A response that is sent as it is written and stored under its idempotency key. It is stored before its last bytes
 * leave, so that a client that has read it and repeats the request finds it.
 */
final class CapturedResponse extends LimitedResponse {
    private static final Logger LOG = System.getLogger(CapturedResponse.class.getName());
    private static final Duration SEND_TIMEOUT = Duration.ofSeconds(5);

    private final IdempotentWork work;
    private final Map<String, List<String>> before;
    private final BodyCopy copy;
    private boolean isError;

    CapturedResponse(HttpServletResponse response, Outcome outcome, boolean isCrossOrigin, IdempotentWork work) {
        super(response, outcome, isCrossOrigin);
        this.work = work;
        this.before = headers(response);
        this.copy = new BodyCopy(work.largestResponse(), this::finish);
    }

    /** Stores the response as it is now, unless that was done. A server error is not stored. */
    void finish() {
        // Without the headers of filters in front of this one, which set theirs again on a replay.
        List<StoredResponse.Header> own =
                StoredResponse.headersOf(before, headers((HttpServletResponse) getResponse()));
        await(work.end(getStatus(), isError, getContentType(), own, copy.bytes()));
    }

    /** Stores nothing and frees the key, as the request failed. */
    void abandon() {
        await(work.abandon());
    }

    /** Waits until the next request with the key can find the result. The wait is short, as the client waits too. */
    static void await(Answer<Boolean> ending) {
        try {
            ending.await(SEND_TIMEOUT);
        } catch (StoreException e) {
            LOG.log(Level.WARNING, "a response with an idempotency key may not have been stored", e);
        }
    }

    @Override
    BodyObserver observer() {
        return copy;
    }

    @Override
    public void sendError(int status, String message) throws IOException {
        isError = true;
        super.sendError(status, message);
    }

    @Override
    public void sendError(int status) throws IOException {
        isError = true;
        super.sendError(status);
    }

    private static Map<String, List<String>> headers(HttpServletResponse response) {
        Map<String, List<String>> headers = new HashMap<>();
        for (String name : response.getHeaderNames()) {
            headers.put(name, List.copyOf(response.getHeaders(name)));
        }
        return headers;
    }
}
