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
 * A response that is sent as it is made, and remembered: before its end has left, so that who has read it and asks again
 * finds it there.
 */
final class CapturedResponse extends LimitedResponse {
    private static final Logger LOG = System.getLogger(CapturedResponse.class.getName());
    private static final Duration PATIENCE = Duration.ofSeconds(5);

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

    /** Remembers the response as it is now, unless that was done; an error of the server's is not remembered. */
    void finish() {
        // Without those of a filter before it, which will set its own again.
        List<StoredResponse.Header> own =
                StoredResponse.headersOf(before, headers((HttpServletResponse) getResponse()));
        await(work.end(getStatus(), isError, getContentType(), own, copy.bytes()));
    }

    /** Remembers nothing: it came to no good end. */
    void abandon() {
        await(work.abandon());
    }

    /** Until the next request with the key finds it; not for long, as the client waits. */
    static void await(Answer<Boolean> ending) {
        try {
            ending.await(PATIENCE);
        } catch (StoreException e) {
            LOG.log(Level.WARNING, "it is not known whether a response with an idempotency key is remembered", e);
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
