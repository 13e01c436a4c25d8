package dev.weir.server.envoy;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How Envoy's rate limit service responds.
 *
 * @param strict whether every descriptor is counted by itself, also if the request is refused
 * @param headers the names of the response headers; null for none
 */
public record ReplyOptions(boolean strict, @Nullable HeaderNames headers) {
    private static final String ENABLED = "LIMIT_RESPONSE_HEADERS_ENABLED";

    /** All or nothing, without response headers. */
    public static final ReplyOptions DEFAULT = new ReplyOptions(false, null);

    /** The names of the three response headers. */
    public record HeaderNames(String limit, String remaining, String reset) {}

    /**
     * Returns the options with the response headers that the variables of the original service ask for.
     *
     * @throws IllegalArgumentException if a variable has a value that it may not have
     */
    public static ReplyOptions of(boolean strict, Map<String, String> environment) {
        if (!EnvoySwitch.isOn(ENABLED, environment.get(ENABLED))) {
            return new ReplyOptions(strict, null);
        }
        return new ReplyOptions(
                strict,
                new HeaderNames(
                        given(environment, "LIMIT_LIMIT_HEADER", "RateLimit-Limit"),
                        given(environment, "LIMIT_REMAINING_HEADER", "RateLimit-Remaining"),
                        given(environment, "LIMIT_RESET_HEADER", "RateLimit-Reset")));
    }

    private static String given(Map<String, String> environment, String name, String otherwise) {
        String value = environment.get(name);
        return value == null || value.isEmpty() ? otherwise : value;
    }
}
