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
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Makes attributes of a request: its address, method and path, and what the extractors find. Immutable. */
final class AttributeReader {
    private final Weir weir;
    private final Map<String, Extractor> early = new LinkedHashMap<>();
    private final Map<String, Extractor> late = new LinkedHashMap<>();
    private final Map<String, Extractor> inBody = new LinkedHashMap<>();
    private final JsonFields fields;
    private final int bodyBound;

    AttributeReader(Weir weir, Map<String, Extractor> extractors, int bodyBound) {
        this.weir = weir;
        this.bodyBound = bodyBound;
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

    /** The names of what is known only after authentication. */
    Set<String> lateNames() {
        return late.keySet().stream().collect(Collectors.toUnmodifiableSet());
    }

    /** Whether its body has to be looked at. */
    boolean wantsBody(HttpServletRequest request) {
        if (inBody.isEmpty() || !isJson(request.getContentType())) {
            return false;
        }
        return inBody.values().stream().anyMatch(extractor -> extractor.appliesTo(request));
    }

    int bodyBound() {
        return bodyBound;
    }

    /** What is known of a request when it arrives. */
    Map<String, String> early(HttpServletRequest request) {
        Map<String, String> attributes = new HashMap<>();
        attributes.put("channel", "http");
        attributes.put(
                "ip",
                weir.clients()
                        .of(request.getRemoteAddr(), lines(request, "Forwarded"), lines(request, "X-Forwarded-For")));
        attributes.put("method", method(request));
        attributes.put("path", ServedPath.of(request));
        early.forEach((name, extractor) -> put(attributes, name, extractor.extract(request)));
        if (request instanceof BufferedRequest buffered && wantsBody(request)) {
            addFromBody(buffered, attributes);
        }
        return attributes;
    }

    /** What is known once it is authenticated; nothing of it before. */
    Map<String, String> late(HttpServletRequest request) {
        Map<String, String> attributes = new HashMap<>();
        late.forEach((name, extractor) -> put(attributes, name, extractor.extract(request)));
        return attributes;
    }

    private void addFromBody(BufferedRequest request, Map<String, String> attributes) {
        // What follows a fault or the bound is for the application to judge; what was read before it counts.
        @Nullable String[] values = fields.readStart(request.start(), request.isWhole());
        int next = 0;
        for (Map.Entry<String, Extractor> entry : inBody.entrySet()) {
            String value = values[next++];
            if (entry.getValue().appliesTo(request)) {
                put(attributes, entry.getKey(), value);
            }
        }
    }

    /** HEAD is GET without the answer's body, and costs as much. */
    private static String method(HttpServletRequest request) {
        return request.getMethod().equals("HEAD") ? "GET" : AttributeText.bounded(request.getMethod());
    }

    private static List<String> lines(HttpServletRequest request, String header) {
        Enumeration<String> lines = request.getHeaders(header);
        return lines == null || !lines.hasMoreElements() ? List.of() : new ArrayList<>(Collections.list(lines));
    }

    private static void put(Map<String, String> attributes, String name, @Nullable String value) {
        if (value != null && !value.isEmpty()) {
            attributes.put(name, AttributeText.bounded(value));
        }
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
