package dev.weir.binding.servlet;

import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Enumeration;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request whose body was read up to a bound. The application reads the body as usual: as a stream, with a listener,
 * as a reader or as form parameters. A body beyond the bound is complete, too.
 */
final class BufferedRequest extends HttpServletRequestWrapper {
    private final byte[] start;
    private final boolean isWhole;
    private @Nullable ServletInputStream stream;
    private @Nullable BufferedReader reader;
    private @Nullable Map<String, String[]> parameters;

    private BufferedRequest(HttpServletRequest request, byte[] start, boolean isWhole) {
        super(request);
        this.start = start;
        this.isWhole = isWhole;
    }

    /** Reads the body up to the bound, and one more byte to detect whether it is complete. */
    static BufferedRequest read(HttpServletRequest request, int bound) throws IOException {
        byte[] start = request.getInputStream().readNBytes(bound + 1);
        return new BufferedRequest(request, start, start.length <= bound);
    }

    /** The bytes of the body that were read. */
    byte[] start() {
        return start;
    }

    /** Whether these bytes are the complete body. */
    boolean isWhole() {
        return isWhole;
    }

    /** Returns the complete body; null if it is longer than the bound. */
    byte @Nullable [] wholeBody() {
        return isWhole ? start : null;
    }

    @Override
    public ServletInputStream getInputStream() throws IOException {
        if (reader != null) {
            throw new IllegalStateException("getReader() has been called");
        }
        return stream();
    }

    @Override
    public BufferedReader getReader() throws IOException {
        BufferedReader made = reader;
        if (made == null) {
            if (stream != null) {
                throw new IllegalStateException("getInputStream() has been called");
            }
            String named = getCharacterEncoding();
            Charset charset = named == null ? StandardCharsets.ISO_8859_1 : Charset.forName(named);
            made = new BufferedReader(new InputStreamReader(stream(), charset));
            reader = made;
        }
        return made;
    }

    @Override
    public @Nullable String getParameter(String name) {
        String[] values = getParameterMap().get(name);
        return values == null || values.length == 0 ? null : values[0];
    }

    @Override
    public Map<String, String[]> getParameterMap() {
        if (!isWhole || !isForm()) {
            return super.getParameterMap();
        }
        Map<String, String[]> made = parameters;
        if (made == null) {
            // The body is read, so the container finds parameters in the query only.
            made = FormParameters.join(super.getParameterMap(), start, getCharacterEncoding());
            parameters = made;
        }
        return made;
    }

    @Override
    public Enumeration<String> getParameterNames() {
        return Collections.enumeration(getParameterMap().keySet());
    }

    @Override
    public String @Nullable [] getParameterValues(String name) {
        String[] values = getParameterMap().get(name);
        return values == null ? null : values.clone();
    }

    private ServletInputStream stream() throws IOException {
        ServletInputStream made = stream;
        if (made == null) {
            ServletInputStream rest = super.getInputStream();
            boolean isUntouched = !isWhole && start.length == 0;
            made = isUntouched
                    ? rest
                    : new BufferedInput(
                            start,
                            isWhole ? null : rest,
                            task -> getAsyncContext().start(task));
            stream = made;
        }
        return made;
    }

    private boolean isForm() {
        String type = getContentType();
        return type != null && type.toLowerCase(Locale.ROOT).startsWith("application/x-www-form-urlencoded");
    }
}
