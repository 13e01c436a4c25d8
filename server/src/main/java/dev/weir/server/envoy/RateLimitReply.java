package dev.weir.server.envoy;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The response to a {@link RateLimitQuery}.
 *
 * @param allowed whether the overall code is OK
 * @param statuses a status for each descriptor, in the request's order
 * @param headers response headers for Envoy to add; empty unless configured
 */
public record RateLimitReply(boolean allowed, List<DescriptorStatus> statuses, List<Header> headers) {
    public RateLimitReply {
        statuses = List.copyOf(statuses);
        headers = List.copyOf(headers);
    }

    /**
     * The status of one descriptor.
     *
     * @param allowed whether its code is OK
     * @param limit the limit that applied; null if none did
     * @param remaining how many hits are left
     * @param resetMillis milliseconds until the window ends; 0 without a limit
     */
    public record DescriptorStatus(
            boolean allowed, @Nullable CurrentLimit limit, long remaining, long resetMillis) {}

    /**
     * A limit as Envoy is shown it.
     *
     * @param unit null if the limit's period is none of Envoy's units
     * @param name its name; null if it has none
     */
    public record CurrentLimit(
            long requestsPerUnit,
            RateLimitQuery.@Nullable Unit unit,
            @Nullable String name) {}

    /** A response header. */
    public record Header(String name, String value) {}
}
