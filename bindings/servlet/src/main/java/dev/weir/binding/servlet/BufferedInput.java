package dev.weir.binding.servlet;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import java.io.IOException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** An input stream of a body whose start is buffered; the rest, if any, comes from the container. */
final class BufferedInput extends ServletInputStream {
    private final byte[] start;
    private final @Nullable ServletInputStream rest;
    private final Executor container;
    private int next;

    /** @param container runs the callbacks of a read listener in a thread of the container */
    BufferedInput(byte[] start, @Nullable ServletInputStream rest, Executor container) {
        this.start = start;
        this.rest = rest;
        this.container = container;
    }

    @Override
    public int read() throws IOException {
        if (next < start.length) {
            return start[next++] & 0xff;
        }
        return rest == null ? -1 : rest.read();
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (next < start.length) {
            int count = Math.min(length, start.length - next);
            System.arraycopy(start, next, target, offset, count);
            next += count;
            return count;
        }
        return rest == null ? -1 : rest.read(target, offset, length);
    }

    @Override
    public int available() throws IOException {
        int here = start.length - next;
        return here > 0 || rest == null ? here : rest.available();
    }

    @Override
    public boolean isFinished() {
        return next >= start.length && (rest == null || rest.isFinished());
    }

    @Override
    public boolean isReady() {
        return next < start.length || rest == null || rest.isReady();
    }

    @Override
    public void setReadListener(ReadListener listener) {
        if (rest == null) {
            container.execute(() -> tell(listener));
        } else {
            rest.setReadListener(new Continuing(listener));
        }
    }

    private void tell(ReadListener listener) {
        try {
            if (!isFinished()) {
                listener.onDataAvailable();
            }
            if (isFinished()) {
                listener.onAllDataRead();
            }
        } catch (IOException | RuntimeException e) {
            listener.onError(e);
        }
    }

    /** Delivers the buffered start before the container's own events for the rest. */
    private final class Continuing implements ReadListener {
        private final ReadListener listener;

        Continuing(ReadListener listener) {
            this.listener = listener;
        }

        @Override
        public void onDataAvailable() throws IOException {
            listener.onDataAvailable();
        }

        @Override
        public void onAllDataRead() throws IOException {
            if (next < start.length) {
                listener.onDataAvailable();
            }
            listener.onAllDataRead();
        }

        @Override
        public void onError(Throwable failure) {
            listener.onError(failure);
        }
    }
}
