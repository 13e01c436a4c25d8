package dev.weir.spring;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How Weir runs in the application. What it decides by is a configuration, in Weir's own language: a file, a preset, or the
 * same keys here ({@code weir.limits}, {@code weir.classify} …).
 *
 * @param enabled false lets everything pass untouched
 * @param config where the configuration is, such as classpath:weir.yaml, which is the default if it is there; a file
 *     is followed, and a change is in force within a second or two
 * @param preset a ready-made configuration in place of one's own, such as ai-saas
 * @param store where counts are kept, in place of what the configuration says: memory, redis://… and so on
 * @param data where the memory store keeps the settings of administrators; without it they live as long as the process
 * @param attributes where attributes of web requests are found, by their names: principal, header:NAME,
 *     cookie:NAME, claim:NAME or json:/POINTER; the user is the principal unless told otherwise
 * @param filter the filter that limits web requests
 * @param refusal the body of refused web requests
 * @param idempotency requests with an idempotency key
 * @param guard how patient Weir is with its store
 * @param websocket limits on WebSockets
 * @param stomp limits on STOMP frames
 */
@ConfigurationProperties("weir")
public record WeirProperties(
        @DefaultValue("true") boolean enabled,
        @Nullable String config,
        @Nullable String preset,
        @Nullable String store,
        @Nullable Path data,
        Map<String, String> attributes,
        @DefaultValue Filter filter,
        @DefaultValue Refusal refusal,
        @DefaultValue Idempotency idempotency,
        @DefaultValue Guard guard,
        @DefaultValue Websocket websocket,
        @DefaultValue Stomp stomp) {

    public WeirProperties {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("user", "principal");
        if (attributes != null) {
            all.putAll(attributes);
        }
        attributes = Map.copyOf(all);
    }

    /**
     * The filter that limits web requests.
     *
     * @param enabled whether a filter limits web requests
     * @param order where the filter stands; without it, right before Spring Security's, or at -110 without Spring Security
     * @param afterAuthenticationOrder where a second filter stands, which decides what depends on the user; without it, right
     *     behind Spring Security's, or nowhere without Spring Security
     * @param paths which requests are limited, as path patterns
     * @param skip which requests are not limited, as path patterns
     */
    public record Filter(
            @DefaultValue("true") boolean enabled,
            @Nullable Integer order,
            @Nullable Integer afterAuthenticationOrder,
            @DefaultValue("/**") List<String> paths,
            @DefaultValue("/actuator/health/**") List<String> skip) {}

    /**
     * The body of refused web requests. Without it, a problem document (RFC 9457).
     *
     * @param body the body, with placeholders: {limit}, {scope}, {capacity}, {remaining}, {reason}, {message},
     *     {retry_after_secs}, {retry_after_ms}
     * @param contentType what the body is; application/json unless told otherwise
     */
    public record Refusal(@Nullable String body, @Nullable String contentType) {
        /** What the body is. */
        public String type() {
            return contentType == null ? "application/json" : contentType;
        }
    }

    /**
     * Requests with an idempotency key are done once and answered each time. Responses are remembered in this process,
     * unless the application has a {@code ResponseStore} of its own.
     *
     * @param enabled whether requests with an idempotency key are done once
     * @param header the header with the idempotency key
     * @param required whether POST and PATCH must have an idempotency key
     * @param ttl how long a response is remembered
     */
    public record Idempotency(
            @DefaultValue("false") boolean enabled,
            @DefaultValue("Idempotency-Key") String header,
            @DefaultValue("false") boolean required,
            @DefaultValue("1d") Duration ttl) {}

    /**
     * How patient Weir is with its store.
     *
     * @param deadline how long one call of the store may take; without it, as long as the store says that it needs
     * @param tolerance after how many failures in a row the store is given up for a while
     * @param pause how long until it is tried again
     */
    public record Guard(
            @Nullable Duration deadline,
            @DefaultValue("5") int tolerance,
            @DefaultValue("500ms") Duration pause) {}

    /**
     * Limits on WebSockets.
     *
     * @param slotTtl when the connections of a process that died are free
     */
    public record Websocket(@DefaultValue("30s") Duration slotTtl) {}

    /**
     * Limits on STOMP frames.
     *
     * @param enabled whether SEND and SUBSCRIBE frames are limited
     * @param onExceed what happens to a client that sends too many frames
     * @param destination where, of its own user destinations, a client is told of refused frames
     */
    public record Stomp(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("tell") OnExceed onExceed,
            @DefaultValue("/queue/rate-limits") String destination) {

        /** What happens to who sends too many frames. */
        public enum OnExceed {
            /** A refused frame is dropped, and its sender told at a destination of its own. */
            TELL,
            /** The sender gets an ERROR frame, which ends its connection. */
            CLOSE
        }
    }
}
