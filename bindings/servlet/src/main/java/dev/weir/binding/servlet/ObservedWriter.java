package dev.weir.binding.servlet;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.Charset;

/** A writer that passes its text to an observer, in the response's encoding, before it is sent. */
final class ObservedWriter extends Writer {
    private final PrintWriter real;
    private final BodyObserver observer;
    private final ByteArrayOutputStream encoded = new ByteArrayOutputStream();
    private final OutputStreamWriter encoder;

    ObservedWriter(PrintWriter real, BodyObserver observer, Charset charset) {
        this.real = real;
        this.observer = observer;
        this.encoder = new OutputStreamWriter(encoded, charset);
    }

    @Override
    public void write(char[] text, int offset, int length) throws IOException {
        encoder.write(text, offset, length);
        encoder.flush();
        observer.add(encoded.toByteArray(), 0, encoded.size());
        encoded.reset();
        real.write(text, offset, length);
    }

    @Override
    public void flush() {
        observer.flush();
        real.flush();
    }

    @Override
    public void close() {
        observer.close();
        real.close();
    }
}
