package dev.weir.binding.servlet;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.IOException;

/** A stream that passes its bytes to an observer before they are sent. */
final class ObservedOutput extends ServletOutputStream {
    private final ServletOutputStream real;
    private final BodyObserver observer;

    ObservedOutput(ServletOutputStream real, BodyObserver observer) {
        this.real = real;
        this.observer = observer;
    }

    @Override
    public void write(int one) throws IOException {
        observer.add(new byte[] {(byte) one}, 0, 1);
        real.write(one);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        observer.add(bytes, offset, length);
        real.write(bytes, offset, length);
    }

    @Override
    public void flush() throws IOException {
        observer.flush();
        real.flush();
    }

    @Override
    public void close() throws IOException {
        observer.close();
        real.close();
    }

    @Override
    public boolean isReady() {
        return real.isReady();
    }

    @Override
    public void setWriteListener(WriteListener listener) {
        real.setWriteListener(listener);
    }
}
