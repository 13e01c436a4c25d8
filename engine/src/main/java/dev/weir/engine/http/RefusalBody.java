package dev.weir.engine.http;

import dev.weir.engine.LimitResult;
import dev.weir.engine.Outcome;
import dev.weir.engine.json.Json;
import dev.weir.spi.Nearest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The body of a refusal, from a template such as <code>{"error":"slow_down","wait":{retry_after_secs}}</code>.
 *
 * <p>The placeholders have the names of the members of the problem document. In a JSON body values are escaped, and an
 * absent value is {@code null}; in other bodies it is empty. Immutable.
 */
public final class RefusalBody {
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{([a-z_]+)}");

    private static final Map<String, Function<Outcome, @Nullable Object>> VALUES = new TreeMap<>(Map.of(
            "limit", outcome -> of(outcome, LimitResult::name),
            "scope", outcome -> of(outcome, LimitResult::scope),
            "capacity", outcome -> of(outcome, LimitResult::capacity),
            "remaining", outcome -> of(outcome, limit -> Math.max(0, limit.remaining())),
            "reason", outcome -> outcome.reason().text(),
            "message", HttpDecision::message,
            "retry_after_secs", outcome -> wait(outcome, HttpDecision::wholeSeconds),
            "retry_after_ms", outcome -> wait(outcome, HttpDecision::millis)));

    private static final Set<String> NUMBERS = Set.of("capacity", "remaining", "retry_after_secs", "retry_after_ms");

    private final boolean isJson;
    /** Literal text and names of placeholders alternately, beginning and ending with text. */
    private final List<String> parts;

    private RefusalBody(boolean isJson, List<String> parts) {
        this.isJson = isJson;
        this.parts = List.copyOf(parts);
    }

    /**
     * Parses a template.
     *
     * @throws IllegalArgumentException if it has an unknown placeholder, or if its type is JSON and it is not JSON
     */
    public static RefusalBody of(String contentType, String template) {
        RefusalBody body = new RefusalBody(isJson(contentType), parts(template));
        if (body.isJson) {
            try {
                // A text without quotes is not JSON, where a number would be.
                JsonFields.at().read(body.text(name -> NUMBERS.contains(name) ? 0 : "text"));
            } catch (IOException e) {
                throw new IllegalArgumentException(
                        "the content type is '" + contentType + "', but the body is not JSON: " + template);
            }
        }
        return body;
    }

    /** The body for this refusal, in UTF-8. */
    public byte[] bytes(Outcome outcome) {
        return text(name -> Objects.requireNonNull(VALUES.get(name)).apply(outcome))
                .getBytes(StandardCharsets.UTF_8);
    }

    private static List<String> parts(String template) {
        List<String> parts = new ArrayList<>();
        Matcher matcher = PLACEHOLDER.matcher(template);
        int end = 0;
        while (matcher.find()) {
            String name = matcher.group(1);
            if (!VALUES.containsKey(name)) {
                throw new IllegalArgumentException("the body has the placeholder {" + name + "}, which does not exist; "
                        + Nearest.to(name, VALUES.keySet())
                                .map(near -> "did you mean {" + near + "}?")
                                .orElse("choose one of " + String.join(", ", VALUES.keySet())));
            }
            parts.add(template.substring(end, matcher.start()));
            parts.add(name);
            end = matcher.end();
        }
        parts.add(template.substring(end));
        return parts;
    }

    private String text(Function<String, @Nullable Object> values) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < parts.size(); i++) {
            text.append(i % 2 == 0 ? parts.get(i) : shown(values.apply(parts.get(i))));
        }
        return text.toString();
    }

    private String shown(@Nullable Object value) {
        if (value == null) {
            return isJson ? "null" : "";
        }
        String text = value.toString();
        if (!isJson) {
            return text;
        }
        String quoted = new Json(text.length() + 2).value(text).toString();
        return quoted.substring(1, quoted.length() - 1);
    }

    private static boolean isJson(String contentType) {
        String type = contentType.split(";", 2)[0].trim().toLowerCase(Locale.ROOT);
        return type.endsWith("/json") || type.endsWith("+json");
    }

    private static @Nullable Object of(Outcome outcome, Function<LimitResult, Object> value) {
        LimitResult decisive = outcome.decisive();
        return decisive == null ? null : value.apply(decisive);
    }

    private static @Nullable Object wait(Outcome outcome, Function<Duration, Long> unit) {
        Duration wait = outcome.retryAfter();
        return wait == null ? null : Math.max(1, unit.apply(wait));
    }
}
