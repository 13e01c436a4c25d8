package dev.weir.store.scripted;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The options in the query of a store's URI: each is known, has a value, and is given once. */
public final class UriOptions {
    private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ms|s)");

    private final Map<String, String> values;

    private UriOptions(Map<String, String> values) {
        this.values = values;
    }

    /**
     * Takes a query apart.
     *
     * @param store what messages call the store
     * @param known the options that there are
     * @throws IllegalArgumentException if it is wrong; the message repeats no value
     */
    public static UriOptions parse(String store, List<String> known, String query) {
        Map<String, String> values = new TreeMap<>();
        for (String pair : query.isEmpty() ? new String[0] : query.split("&", -1)) {
            int equals = pair.indexOf('=');
            String name = equals < 0 ? pair : pair.substring(0, equals);
            if (!known.contains(name)) {
                throw new IllegalArgumentException("the " + store + " store has no option '" + shown(name)
                        + "'; there are " + String.join(", ", known));
            }
            if (equals < 0) {
                throw new IllegalArgumentException("the " + store + " store's option " + name + " has no value");
            }
            if (values.put(name, decoded(pair.substring(equals + 1), name)) != null) {
                throw new IllegalArgumentException("the " + store + " store's option " + name + " is given twice");
            }
        }
        return new UriOptions(values);
    }

    public @Nullable String get(String name) {
        return values.get(name);
    }

    public String getOrDefault(String name, String otherwise) {
        return values.getOrDefault(name, otherwise);
    }

    public boolean flag(String name) {
        String text = values.getOrDefault(name, "false");
        if (!text.equals("true") && !text.equals("false")) {
            throw new IllegalArgumentException(name + " is '" + shown(text) + "'; it must be true or false");
        }
        return text.equals("true");
    }

    public Duration duration(String name, Duration otherwise) {
        String text = values.get(name);
        if (text == null) {
            return otherwise;
        }
        Matcher matched = DURATION.matcher(text);
        if (!matched.matches()) {
            throw new IllegalArgumentException(name + " is '" + shown(text) + "'; it must be like 50ms or 2s");
        }
        long number = Long.parseLong(matched.group(1));
        return matched.group(2).equals("s") ? Duration.ofSeconds(number) : Duration.ofMillis(number);
    }

    /** A part of a URI as it is meant. */
    public static String decoded(String text, String what) {
        try {
            // A plus is a plus: this is no form.
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    what + " has a % that is not followed by two hexadecimal digits (write a plain % as %25)");
        }
    }

    /** A text as a message may repeat it. */
    public static String shown(String text) {
        String printable = text.replaceAll("[^ -~]", "?");
        return printable.length() > 40 ? printable.substring(0, 40) + "…" : printable;
    }
}
