package dev.weir.binding.servlet;

import java.io.ByteArrayOutputStream;
import org.jspecify.annotations.Nullable;

/** A copy of a response body, up to a bound. Receives each part before it is sent. Thread-safe. */
final class BodyCopy implements BodyObserver {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final int bound;
    private final Runnable whenComplete;
    private long expected = UNKNOWN;
    private long length;

    /** @param whenComplete called when the expected length is reached, or the body is closed */
    BodyCopy(int bound, Runnable whenComplete) {
        this.bound = bound;
        this.whenComplete = whenComplete;
    }

    @Override
    public synchronized void expect(long newExpected) {
        expected = newExpected;
    }

    @Override
    public void add(byte[] piece, int offset, int count) {
        boolean isComplete;
        synchronized (this) {
            length += count;
            if (length <= bound) {
                bytes.write(piece, offset, count);
            } else {
                bytes.reset();
            }
            isComplete = expected != UNKNOWN && length >= expected;
        }
        if (isComplete) {
            whenComplete.run();
        }
    }

    @Override
    public void close() {
        whenComplete.run();
    }

    @Override
    public synchronized void clear() {
        bytes.reset();
        length = 0;
    }

    /** Returns the copy; null if the body is longer than the bound. */
    synchronized byte @Nullable [] bytes() {
        return length <= bound ? bytes.toByteArray() : null;
    }
}
