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
 * The properties that control how Weir runs in the application. The limits themselves are a configuration: a file, a
 * preset, or the same keys here ({@code weir.limits}, {@code weir.classify} …).
 *
 * @param enabled false disables all limits
 * @param config where the configuration is, such as classpath:weir.yaml, which is the default if it exists; a file is
 *     watched, and a change takes effect within a second or two
 * @param preset a ready-made configuration instead of your own, such as ai-saas
 * @param store where counts are kept, instead of the configuration's store: memory, redis://… and so on
 * @param data where the memory store keeps the settings of administrators; without it they live as long as the process
 * @param attributes the sources of attributes of web requests, by name: principal, header:NAME, cookie:NAME, claim:NAME
 *     or json:/POINTER; the user is the principal by default
 * @param filter the filter that limits web requests
 * @param refusal the body of refused web requests
 * @param idempotency requests with an idempotency key
 * @param guard timeouts and circuit breaker of the store
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
     * @param order the order of the filter; the default is right before Spring Security's, or -110 without Spring
     *     Security
     * @param afterAuthenticationOrder the order of a second filter, which decides the limits that depend on the user;
     *     the default is right behind Spring Security's, or no second filter without Spring Security
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
     * The body of refused web requests. The default is a problem document (RFC 9457).
     *
     * @param body the body, with placeholders: {limit}, {scope}, {capacity}, {remaining}, {reason}, {message},
     *     {retry_after_secs}, {retry_after_ms}
     * @param contentType the content type of the body; application/json by default
     */
    public record Refusal(@Nullable String body, @Nullable String contentType) {
        /** The content type of the body. */
        public String type() {
            return contentType == null ? "application/json" : contentType;
        }
    }

    /**
     * Requests with the same idempotency key are executed once and answered each time. Responses are stored in this
     * process, unless the application has its own {@code ResponseStore}.
     *
     * @param enabled whether requests with an idempotency key are executed once
     * @param header the header with the idempotency key
     * @param required whether POST and PATCH must have an idempotency key
     * @param ttl how long a response is stored
     */
    public record Idempotency(
            @DefaultValue("false") boolean enabled,
            @DefaultValue("Idempotency-Key") String header,
            @DefaultValue("false") boolean required,
            @DefaultValue("1d") Duration ttl) {}

    /**
     * Timeouts and circuit breaker of the store.
     *
     * @param deadline how long one call of the store may take; the default comes from the store
     * @param tolerance after how many failures in a row the circuit breaker opens
     * @param pause how long the circuit breaker stays open before the store is tried again
     */
    public record Guard(
            @Nullable Duration deadline,
            @DefaultValue("5") int tolerance,
            @DefaultValue("500ms") Duration pause) {}

    /**
     * Limits on WebSockets.
     *
     * @param slotTtl after what time the slots of a process that died are free
     */
    public record Websocket(@DefaultValue("30s") Duration slotTtl) {}

    /**
     * Limits on STOMP frames.
     *
     * @param enabled whether SEND and SUBSCRIBE frames are limited
     * @param onExceed what happens to a client that sends too many frames
     * @param destination the user destination at which a client gets notices of refused frames
     */
    public record Stomp(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("tell") OnExceed onExceed,
            @DefaultValue("/queue/rate-limits") String destination) {

        /** What happens to a client that sends too many frames. */
        public enum OnExceed {
            /** Drops a refused frame and notifies its sender at the sender's own destination. */
            TELL,
            /** Sends an ERROR frame, which ends the connection. */
            CLOSE
        }
    }
}
