package dev.weir.binding.servlet;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.IOException;

/** A stream whose bytes are copied before they are sent. */
final class CapturedOutput extends ServletOutputStream {
    private final ServletOutputStream real;
    private final BodyCopy copy;

    CapturedOutput(ServletOutputStream real, BodyCopy copy) {
        this.real = real;
        this.copy = copy;
    }

    @Override
    public void write(int one) throws IOException {
        copy.add(new byte[] {(byte) one}, 0, 1);
        real.write(one);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        copy.add(bytes, offset, length);
        real.write(bytes, offset, length);
    }

    @Override
    public void flush() throws IOException {
        real.flush();
    }

    @Override
    public void close() throws IOException {
        copy.close();
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
