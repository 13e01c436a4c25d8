package dev.weir.binding.servlet;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A response that reports its status right before it is sent to the client: a client that has its response finds the limits
 * as the status left them. A response that is sent in another way than by these methods is reported at its end.
 */
final class StatusResponse extends HttpServletResponseWrapper {
    /** The most bytes that a char becomes. */
    private static final int WIDEST_CHAR = 3;

    private final IntConsumer whenKnown;
    private long written;
    /** The length of the body as the application gave it: with its last byte the container sends the response. */
    private long expected = Long.MAX_VALUE;

    private @Nullable ServletOutputStream stream;
    private @Nullable PrintWriter writer;

    /** @param whenKnown called with the status; it acts on the first call only */
    StatusResponse(HttpServletResponse response, IntConsumer whenKnown) {
        super(response);
        this.whenKnown = whenKnown;
    }

    @Override
    public ServletOutputStream getOutputStream() throws IOException {
        ServletOutputStream made = stream;
        if (made == null) {
            made = new Output(super.getOutputStream());
            stream = made;
        }
        return made;
    }

    @Override
    public PrintWriter getWriter() throws IOException {
        PrintWriter made = writer;
        if (made == null) {
            made = new PrintWriter(new Text(super.getWriter()));
            writer = made;
        }
        return made;
    }

    @Override
    public void flushBuffer() throws IOException {
        report();
        super.flushBuffer();
    }

    @Override
    public void resetBuffer() {
        super.resetBuffer();
        written = 0;
    }

    @Override
    public void reset() {
        super.reset();
        written = 0;
        expected = Long.MAX_VALUE;
        stream = null;
        writer = null;
    }

    private void report() {
        whenKnown.accept(getStatus());
    }

    @Override
    public void setContentLength(int length) {
        expected = length;
        super.setContentLength(length);
    }

    @Override
    public void setContentLengthLong(long length) {
        expected = length;
        super.setContentLengthLong(length);
    }

    @Override
    public void setHeader(String name, String value) {
        expectLength(name, value);
        super.setHeader(name, value);
    }

    @Override
    public void addHeader(String name, String value) {
        expectLength(name, value);
        super.addHeader(name, value);
    }

    @Override
    public void setIntHeader(String name, int value) {
        expectLength(name, Integer.toString(value));
        super.setIntHeader(name, value);
    }

    private void expectLength(String name, @Nullable String value) {
        if (name.equalsIgnoreCase("Content-Length") && value != null && value.matches("\\d{1,18}")) {
            expected = Long.parseLong(value);
        }
    }

    /** The container sends what does not fit into its buffer, and a body that is complete. */
    private void count(int more) {
        written += more;
        if (written > getBufferSize() || written >= expected) {
            report();
        }
    }

    private final class Output extends ServletOutputStream {
        private final ServletOutputStream real;

        Output(ServletOutputStream real) {
            this.real = real;
        }

        @Override
        public void write(int one) throws IOException {
            count(1);
            real.write(one);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            count(length);
            real.write(bytes, offset, length);
        }

        @Override
        public void flush() throws IOException {
            report();
            real.flush();
        }

        @Override
        public void close() throws IOException {
            report();
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

    private final class Text extends Writer {
        private final PrintWriter real;

        Text(PrintWriter real) {
            this.real = real;
        }

        @Override
        public void write(char[] text, int offset, int length) {
            count(length * WIDEST_CHAR);
            real.write(text, offset, length);
        }

        @Override
        public void flush() {
            report();
            real.flush();
        }

        @Override
        public void close() {
            report();
            real.close();
        }
    }
}
