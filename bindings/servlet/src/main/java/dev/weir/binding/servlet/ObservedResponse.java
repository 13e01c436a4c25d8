package dev.weir.binding.servlet;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import org.jspecify.annotations.Nullable;

/** A response that passes its body to an observer, if it has one. */
abstract class ObservedResponse extends HttpServletResponseWrapper {
    private @Nullable ServletOutputStream stream;
    private @Nullable PrintWriter writer;

    ObservedResponse(HttpServletResponse response) {
        super(response);
    }

    /** Returns the observer of the body, always the same one. */
    BodyObserver observer() {
        return BodyObserver.NONE;
    }

    @Override
    public ServletOutputStream getOutputStream() throws IOException {
        BodyObserver observer = observer();
        if (observer == BodyObserver.NONE) {
            return super.getOutputStream();
        }
        ServletOutputStream made = stream;
        if (made == null) {
            made = new ObservedOutput(super.getOutputStream(), observer);
            stream = made;
        }
        return made;
    }

    @Override
    public PrintWriter getWriter() throws IOException {
        BodyObserver observer = observer();
        if (observer == BodyObserver.NONE) {
            return super.getWriter();
        }
        PrintWriter made = writer;
        if (made == null) {
            PrintWriter real = super.getWriter();
            made = new PrintWriter(new ObservedWriter(real, observer, Charset.forName(getCharacterEncoding())));
            writer = made;
        }
        return made;
    }

    @Override
    public void setContentLength(int length) {
        observer().expect(length);
        super.setContentLength(length);
    }

    @Override
    public void setContentLengthLong(long length) {
        observer().expect(length);
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

    @Override
    public void resetBuffer() {
        super.resetBuffer();
        observer().clear();
    }

    @Override
    public void reset() {
        super.reset();
        observer().clear();
        observer().expect(BodyObserver.UNKNOWN);
        stream = null;
        writer = null;
    }

    private void expectLength(String name, @Nullable String value) {
        if (name.equalsIgnoreCase("Content-Length") && value != null && value.matches("\\d{1,18}")) {
            observer().expect(Long.parseLong(value));
        }
    }
}
