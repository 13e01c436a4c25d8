package dev.weir.binding.servlet;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.function.IntConsumer;

/**
 * A response that reports its status right before it is sent. So a client that has its response finds the limits
 * already updated. A response that is sent by other means than these methods is reported at its end.
 */
final class StatusResponse extends ObservedResponse implements BodyObserver {
    private final IntConsumer whenKnown;
    private long written;
    private long expected = UNKNOWN;

    /** @param whenKnown called with the status; it acts on the first call only */
    StatusResponse(HttpServletResponse response, IntConsumer whenKnown) {
        super(response);
        this.whenKnown = whenKnown;
    }

    @Override
    BodyObserver observer() {
        return this;
    }

    @Override
    public void flushBuffer() throws IOException {
        flush();
        super.flushBuffer();
    }

    @Override
    public void expect(long length) {
        expected = length;
    }

    /** Reports when the container sends: when its buffer is full, or the body is complete. */
    @Override
    public void add(byte[] piece, int offset, int count) {
        written += count;
        if (written > getBufferSize() || (expected != UNKNOWN && written >= expected)) {
            flush();
        }
    }

    @Override
    public void flush() {
        whenKnown.accept(getStatus());
    }

    @Override
    public void close() {
        flush();
    }

    @Override
    public void clear() {
        written = 0;
    }
}
