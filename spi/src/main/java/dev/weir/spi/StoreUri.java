package dev.weir.spi;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The parsed URI of a store: {@code SCHEME://[USERINFO@]AUTHORITY[/PATH][?NAME=VALUE&…]}.
 *
 * <p>Each option is known, has a value, and occurs once. Messages never contain the text before the last {@code @}, nor
 * the value of an option unless it is a duration. Immutable.
 */
public final class StoreUri {
    private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ms|s|m|h)");

    private final String store;
    private final String base;
    private final Map<String, String> options = new TreeMap<>();
    private final List<String> passedOn = new ArrayList<>();

    private StoreUri(String store, String base) {
        this.store = store;
        this.base = base;
    }

    /**
     * Parses a URI.
     *
     * @param store the name of the store in messages, such as {@code Redis}
     * @param known the names of the options
     * @throws IllegalArgumentException if an option is wrong
     */
    public static StoreUri parse(String uri, String store, List<String> known) {
        return parse(uri, store, known, name -> false);
    }

    /**
     * Parses a URI with options that are passed on unread.
     *
     * @param isPassedOn whether an option is passed on, such as one of a driver
     */
    public static StoreUri parse(String uri, String store, List<String> known, Predicate<String> isPassedOn) {
        int question = uri.indexOf('?');
        StoreUri parsed = new StoreUri(store, question < 0 ? uri : uri.substring(0, question));
        List<String> unknown = new ArrayList<>();
        for (String option :
                question < 0 ? new String[0] : uri.substring(question + 1).split("&")) {
            int equals = option.indexOf('=');
            String name = equals < 0 ? option : option.substring(0, equals);
            if (known.contains(name)) {
                parsed.add(name, equals < 0 ? null : option.substring(equals + 1));
            } else if (isPassedOn.test(name)) {
                parsed.passedOn.add(option);
            } else if (!option.isEmpty()) {
                unknown.add(name);
            }
        }
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException("the " + store + " store has no option "
                    + String.join(
                            ", ",
                            unknown.stream()
                                    .map(name -> "'" + shown(name) + "'")
                                    .toList()) + "; there are "
                    + String.join(", ", known) + didYouMean(unknown, known));
        }
        return parsed;
    }

    private static String didYouMean(List<String> unknown, List<String> known) {
        return unknown.stream()
                .flatMap(name -> Nearest.to(name, known).stream())
                .findFirst()
                .map(name -> "; did you mean '" + name + "'?")
                .orElse("");
    }

    private void add(String name, @Nullable String value) {
        if (value == null) {
            throw new IllegalArgumentException("the " + store + " store's option " + name + " has no value");
        }
        if (options.put(name, decoded(value, name)) != null) {
            throw new IllegalArgumentException(
                    "the " + store + " store's option " + name + " is given twice; it must be given once");
        }
    }

    /** Everything before the options. */
    public String base() {
        return base;
    }

    /** The text before {@code ://}; empty if that is missing. */
    public String scheme() {
        return base.substring(0, Math.max(0, base.indexOf("://")));
    }

    /** The text before the last {@code @}, not decoded; null if there is none. */
    public @Nullable String userInfo() {
        String rest = rest();
        int at = rest.lastIndexOf('@');
        return at < 0 ? null : rest.substring(0, at);
    }

    /** The hosts. */
    public String authority() {
        String place = place();
        int slash = place.indexOf('/');
        return slash < 0 ? place : place.substring(0, slash);
    }

    /** The text after the first slash behind the authority, decoded; empty if there is none. */
    public String path() {
        String place = place();
        int slash = place.indexOf('/');
        return slash < 0 ? "" : decoded(place.substring(slash + 1), "the path");
    }

    private String place() {
        String rest = rest();
        return rest.substring(rest.lastIndexOf('@') + 1);
    }

    private String rest() {
        int end = base.indexOf("://");
        return end < 0 ? "" : base.substring(end + 3);
    }

    /** The options by their names. */
    public Map<String, String> options() {
        return Collections.unmodifiableMap(options);
    }

    /** The options that are passed on, as they were given. */
    public List<String> passedOn() {
        return List.copyOf(passedOn);
    }

    public @Nullable String option(String name) {
        return options.get(name);
    }

    public String option(String name, String otherwise) {
        return options.getOrDefault(name, otherwise);
    }

    public boolean flag(String name, boolean otherwise) {
        String text = option(name, String.valueOf(otherwise));
        if (!text.equals("true") && !text.equals("false")) {
            throw new IllegalArgumentException("the option '" + name + "' must be true or false");
        }
        return text.equals("true");
    }

    public Duration duration(String name, Duration otherwise) {
        String text = options.get(name);
        if (text == null) {
            return otherwise;
        }
        Matcher matched = DURATION.matcher(text);
        if (!matched.matches()) {
            throw new IllegalArgumentException(name + " is '" + shown(text) + "'; it must be like 50ms or 2s");
        }
        long number = Long.parseLong(matched.group(1));
        return switch (matched.group(2)) {
            case "ms" -> Duration.ofMillis(number);
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            default -> Duration.ofHours(number);
        };
    }

    /** Decodes a part of a URI. */
    public static String decoded(String text, String what) {
        try {
            // A plus stays a plus: this is not form encoding.
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    what + " has a % that is not followed by two hexadecimal digits (write a plain % as %25)");
        }
    }

    /** Returns a text in a form that is safe for messages. */
    public static String shown(String text) {
        String printable = text.replaceAll("[^ -~]", "?");
        return printable.length() > 40 ? printable.substring(0, 40) + "…" : printable;
    }
}
