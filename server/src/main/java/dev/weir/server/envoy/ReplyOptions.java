package dev.weir.server.envoy;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How Envoy's rate limit service responds.
 *
 * @param strict whether every descriptor is counted by itself, also if the request is refused
 * @param shadow whether every reply is OK; its statuses and the statistics still show what is over the limit
 * @param headers the names of the response headers; null for none
 */
public record ReplyOptions(
        boolean strict, boolean shadow, @Nullable HeaderNames headers) {
    private static final String ENABLED = "LIMIT_RESPONSE_HEADERS_ENABLED";
    private static final String SHADOW_MODE = "SHADOW_MODE";

    /** All or nothing, without response headers. */
    public static final ReplyOptions DEFAULT = new ReplyOptions(false, false, null);

    /** The names of the three response headers. */
    public record HeaderNames(String limit, String remaining, String reset) {}

    /**
     * Returns the options that the variables of the original service ask for where Envoy's files are served.
     *
     * @throws IllegalArgumentException if a variable has a value that it may not have
     */
    public static ReplyOptions of(boolean strict, Map<String, String> environment) {
        return new ReplyOptions(
                strict, EnvoySwitch.isOn(SHADOW_MODE, environment.get(SHADOW_MODE)), headers(environment));
    }

    /**
     * Returns the options where Weir's own configuration decides. Only the variables of the response headers count:
     * other programs use the name {@code SHADOW_MODE}, too, and it must not end all limits by accident.
     *
     * @throws IllegalArgumentException if a variable has a value that it may not have
     */
    public static ReplyOptions ofOwnConfiguration(Map<String, String> environment) {
        return new ReplyOptions(false, false, headers(environment));
    }

    private static @Nullable HeaderNames headers(Map<String, String> environment) {
        return EnvoySwitch.isOn(ENABLED, environment.get(ENABLED))
                ? new HeaderNames(
                        given(environment, "LIMIT_LIMIT_HEADER", "RateLimit-Limit"),
                        given(environment, "LIMIT_REMAINING_HEADER", "RateLimit-Remaining"),
                        given(environment, "LIMIT_RESET_HEADER", "RateLimit-Reset"))
                : null;
    }

    private static String given(Map<String, String> environment, String name, String otherwise) {
        String value = environment.get(name);
        return value == null || value.isEmpty() ? otherwise : value;
    }
}
