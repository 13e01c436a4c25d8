package dev.weir.binding.servlet;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.Charset;

/** A writer whose text is copied, in the response's encoding, before it is sent. */
final class CapturedWriter extends Writer {
    private final PrintWriter real;
    private final BodyCopy copy;
    private final ByteArrayOutputStream encoded = new ByteArrayOutputStream();
    private final OutputStreamWriter encoder;

    CapturedWriter(PrintWriter real, BodyCopy copy, Charset charset) {
        this.real = real;
        this.copy = copy;
        this.encoder = new OutputStreamWriter(encoded, charset);
    }

    @Override
    public void write(char[] text, int offset, int length) throws IOException {
        encoder.write(text, offset, length);
        encoder.flush();
        copy.add(encoded.toByteArray(), 0, encoded.size());
        encoded.reset();
        real.write(text, offset, length);
    }

    @Override
    public void flush() {
        real.flush();
    }

    @Override
    public void close() {
        copy.close();
        real.close();
    }
}
