package dev.weir.binding.servlet;

import dev.weir.engine.AttributeText;
import dev.weir.engine.Weir;
import dev.weir.engine.http.JsonFields;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads the attributes of a request: its address, method and path, and the values of the extractors. Immutable. */
final class AttributeReader {
    private static final Pattern CHARSET = Pattern.compile("(?i)charset\\s*=\\s*[\"']?([^\\s\"';,]*)");
    private static final Pattern HARMLESS =
            Pattern.compile("(?i)utf-?8|utf-?(16|32)(le|be)?|us-ascii|iso-8859-(1|15)|windows-1252");

    private final Weir weir;
    private final Map<String, Extractor> early = new LinkedHashMap<>();
    private final Map<String, Extractor> late = new LinkedHashMap<>();
    private final Map<String, Extractor> inBody = new LinkedHashMap<>();
    private final JsonFields fields;
    private final int bodyBound;
    private final boolean refusesLongerBodies;

    AttributeReader(Weir weir, Map<String, Extractor> extractors, int bodyBound, boolean refusesLongerBodies) {
        this.weir = weir;
        this.bodyBound = bodyBound;
        this.refusesLongerBodies = refusesLongerBodies;
        List<String> pointers = new ArrayList<>();
        extractors.forEach((name, extractor) -> {
            String pointer = extractor.pointer();
            if (pointer != null) {
                pointers.add(pointer);
                inBody.put(name, extractor);
            } else {
                (extractor.needsUser() ? late : early).put(name, extractor);
            }
        });
        this.fields = JsonFields.at(pointers.toArray(new String[0]));
    }

    /** The names of the attributes that are known only after authentication. */
    Set<String> lateNames() {
        return late.keySet().stream().collect(Collectors.toUnmodifiableSet());
    }

    /** Whether an extractor needs the body of this request. */
    boolean wantsBody(HttpServletRequest request) {
        if (inBody.isEmpty() || !isJson(request.getContentType())) {
            return false;
        }
        return inBody.values().stream().anyMatch(extractor -> extractor.appliesTo(request));
    }

    int bodyBound() {
        return bodyBound;
    }

    /** Whether a field may lie beyond the bytes read of the body, and such requests are refused. */
    boolean refuses(HttpServletRequest request) {
        return refusesLongerBodies
                && request instanceof BufferedRequest buffered
                && !buffered.isWhole()
                && wantsBody(request);
    }

    /**
     * Returns the attributes that are known when the request arrives.
     *
     * @throws IllegalArgumentException if its path or the charset of its body is refused
     */
    Map<String, String> early(HttpServletRequest request) {
        Map<String, String> attributes = new HashMap<>();
        attributes.put("channel", "http");
        attributes.put(
                "ip",
                weir.clients()
                        .of(request.getRemoteAddr(), lines(request, "Forwarded"), lines(request, "X-Forwarded-For")));
        attributes.put("method", method(request));
        attributes.put("path", ServedPath.of(request));
        early.forEach((name, extractor) -> AttributeText.put(attributes, name, extractor.extract(request)));
        if (request instanceof BufferedRequest buffered && wantsBody(request)) {
            addFromBody(buffered, attributes);
        }
        return attributes;
    }

    /** Returns the attributes that are known only after authentication; empty before it. */
    Map<String, String> late(HttpServletRequest request) {
        Map<String, String> attributes = new HashMap<>();
        late.forEach((name, extractor) -> AttributeText.put(attributes, name, extractor.extract(request)));
        return attributes;
    }

    private void addFromBody(BufferedRequest request, Map<String, String> attributes) {
        checkCharset(request.getContentType());
        // Fields read before a fault or the bound count. The application judges the rest.
        @Nullable String[] values = fields.readStart(request.start(), request.isWhole());
        int next = 0;
        for (Map.Entry<String, Extractor> entry : inBody.entrySet()) {
            String value = values[next++];
            if (entry.getValue().appliesTo(request)) {
                AttributeText.put(attributes, entry.getKey(), value);
            }
        }
    }

    /**
     * Refuses charsets that are not supersets of ASCII. JSON is UTF-8 (RFC 8259). A framework that decodes it by the
     * charset of {@code Content-Type} would find other fields than this class does, unless each ASCII byte means the
     * same there.
     */
    private static void checkCharset(@Nullable String contentType) {
        Matcher declared = CHARSET.matcher(contentType == null ? "" : contentType);
        while (declared.find()) {
            String charset = declared.group(1);
            if (!HARMLESS.matcher(charset).matches()) {
                throw new IllegalArgumentException(
                        "the charset of the JSON body is '" + AttributeText.bounded(charset) + "'; it must be UTF-8");
            }
        }
    }

    /** Returns the method. HEAD counts as GET, as it costs as much. */
    private static String method(HttpServletRequest request) {
        return request.getMethod().equals("HEAD") ? "GET" : AttributeText.bounded(request.getMethod());
    }

    private static List<String> lines(HttpServletRequest request, String header) {
        Enumeration<String> lines = request.getHeaders(header);
        return lines == null || !lines.hasMoreElements() ? List.of() : new ArrayList<>(Collections.list(lines));
    }

    private static boolean isJson(@Nullable String contentType) {
        if (contentType == null) {
            return true;
        }
        int end = contentType.indexOf(';');
        String type =
                (end < 0 ? contentType : contentType.substring(0, end)).trim().toLowerCase(Locale.ROOT);
        return type.endsWith("/json") || type.endsWith("+json");
    }
}
