package dev.weir.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A server's response to a check, for display. */
final class CheckResponse {
    private final Map<String, String> members = new LinkedHashMap<>();
    private final List<Map<String, String>> limits = new ArrayList<>();

    private CheckResponse() {}

    /** Parses it; returns null if it is not a JSON object. */
    static @Nullable CheckResponse read(String text) {
        try (JsonParser json = new JsonFactory().createParser(text)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                return null;
            }
            CheckResponse answer = new CheckResponse();
            for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
                JsonToken token = json.nextToken();
                if (name.equals("limits") && token == JsonToken.START_ARRAY) {
                    answer.readLimits(json);
                } else if (token.isStructStart()) {
                    json.skipChildren();
                } else {
                    answer.members.put(name, json.getText());
                }
            }
            return answer;
        } catch (IOException e) {
            return null;
        }
    }

    private void readLimits(JsonParser json) throws IOException {
        while (json.nextToken() == JsonToken.START_OBJECT) {
            Map<String, String> limit = new LinkedHashMap<>();
            for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
                json.nextToken();
                limit.put(name, json.getText());
            }
            limits.add(limit);
        }
    }

    /** Returns a scalar member as text; empty if it is missing. */
    String text(String name) {
        return members.getOrDefault(name, "");
    }

    /** Returns one line for the decision and one for each limit. */
    List<String> lines() {
        List<String> lines = new ArrayList<>();
        boolean allowed = text("allowed").equals("true");
        lines.add(allowed ? "allowed" : "denied: " + plain(text("message")));
        if (limits.isEmpty()) {
            lines.add("  no limit applies");
        }
        limits.forEach(limit -> lines.add(String.format(
                Locale.ROOT,
                "  %-16s %s of %s left%s%s",
                plain(limit.getOrDefault("name", "")),
                limit.get("remaining"),
                limit.get("capacity"),
                limit.getOrDefault("allowed", "").equals("true") ? "" : ", refused",
                limit.getOrDefault("shadow", "").equals("true") ? " (shadow)" : "")));
        return lines;
    }

    /** Replaces control characters, which a terminal would interpret. */
    private static String plain(String text) {
        return text.replaceAll("\\p{Cntrl}", "?");
    }
}
