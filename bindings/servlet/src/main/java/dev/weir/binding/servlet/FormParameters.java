package dev.weir.binding.servlet;

import java.net.URLDecoder;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The parameters of a form whose body was read before the container could read it. */
final class FormParameters {
    /** The most parameters; the default of common containers. */
    private static final int MOST = 1_000;

    private FormParameters() {}

    /**
     * Returns the parameters of the query, then those of the body. A pair that is not encoded correctly is left out.
     */
    static Map<String, String[]> join(Map<String, String[]> query, byte[] body, @Nullable String encoding) {
        Charset charset = encoding == null ? StandardCharsets.UTF_8 : Charset.forName(encoding);
        Map<String, List<String>> all = new LinkedHashMap<>();
        query.forEach((name, values) -> all.put(name, new ArrayList<>(List.of(values))));
        String text = new String(body, StandardCharsets.ISO_8859_1);
        int count = 0;
        for (int from = 0; from < text.length() && count < MOST; count++) {
            int end = text.indexOf('&', from);
            end = end < 0 ? text.length() : end;
            add(all, text.substring(from, end), charset);
            from = end + 1;
        }
        Map<String, String[]> joined = new LinkedHashMap<>();
        all.forEach((name, values) -> joined.put(name, values.toArray(String[]::new)));
        return Collections.unmodifiableMap(joined);
    }

    private static void add(Map<String, List<String>> all, String pair, Charset charset) {
        int equals = pair.indexOf('=');
        String name = equals < 0 ? pair : pair.substring(0, equals);
        String value = equals < 0 ? "" : pair.substring(equals + 1);
        if (pair.isEmpty()) {
            return;
        }
        try {
            all.computeIfAbsent(URLDecoder.decode(name, charset), absent -> new ArrayList<>())
                    .add(URLDecoder.decode(value, charset));
        } catch (IllegalArgumentException e) {
            // Like containers, ignores a parameter that cannot be decoded.
        }
    }
}
