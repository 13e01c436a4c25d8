package dev.weir.binding.servlet;

import dev.weir.engine.Outcome;
import dev.weir.engine.idempotency.IdempotencyKeys;
import dev.weir.engine.idempotency.StoredResponse;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A response that is sent as it is made, and remembered: before its end has left, so that who has read it and asks again
 * finds it there.
 */
final class CapturedResponse extends LimitedResponse {
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
        int status = getStatus();
        if (!work.remembers(status)) {
            work.abandon();
            return;
        }
        byte[] body = copy.bytes();
        List<StoredResponse.Header> headers = ownHeaders();
        if (body == null || !StoredResponse.fits(headers)) {
            work.complete(StoredResponse.withheld());
        } else {
            work.complete(new StoredResponse(status, isError, getContentType(), headers, body));
        }
    }

    /** Remembers nothing: it came to no good end. */
    void abandon() {
        work.abandon();
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

    /** Those that came with the work, and not from a filter before it, which will set its own again. */
    private List<StoredResponse.Header> ownHeaders() {
        List<StoredResponse.Header> own = new ArrayList<>();
        headers((HttpServletResponse) getResponse()).forEach((name, values) -> {
            if (IdempotencyKeys.isRemembered(name) && !values.equals(before.get(name))) {
                values.forEach(value -> own.add(new StoredResponse.Header(name, value)));
            }
        });
        return own;
    }

    private static Map<String, List<String>> headers(HttpServletResponse response) {
        Map<String, List<String>> headers = new HashMap<>();
        for (String name : response.getHeaderNames()) {
            headers.put(name, List.copyOf(response.getHeaders(name)));
        }
        return headers;
    }
}
