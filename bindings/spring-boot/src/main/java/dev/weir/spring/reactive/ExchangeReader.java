package dev.weir.spring.reactive;

import dev.weir.engine.AttributeText;
import dev.weir.engine.Weir;
import dev.weir.spring.SetupException;
import dev.weir.spring.web.AttributeSource;
import java.net.InetSocketAddress;
import java.security.Principal;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Reads the attributes of an exchange, as the servlet binding does for a request. Immutable. */
final class ExchangeReader {
    private final Weir weir;
    private final Map<String, ExchangeExtractor> early = new LinkedHashMap<>();
    private final Map<String, ExchangeExtractor> late = new LinkedHashMap<>();

    ExchangeReader(Weir weir, Map<String, ExchangeExtractor> extractors) {
        this.weir = weir;
        extractors.forEach((name, extractor) -> (extractor.needsUser() ? late : early).put(name, extractor));
    }

    /**
     * Returns the extractors that {@code weir.attributes} defines.
     *
     * @throws SetupException if a source is not valid, or is for servlets only
     */
    static Map<String, ExchangeExtractor> extractors(Map<String, String> sources) {
        Map<String, ExchangeExtractor> extractors = new LinkedHashMap<>();
        sources.forEach((name, text) -> {
            AttributeSource source = AttributeSource.of(name, text);
            if (source.kind() == AttributeSource.Kind.JSON) {
                throw new SetupException(
                        "weir.attributes." + name + " is '" + text + "', and this is a reactive application.",
                        "Bodies are read in servlet applications only; limit a method by @RateLimited instead.");
            }
            extractors.put(name, ExchangeExtractor.of(source));
        });
        return extractors;
    }

    /** The names of the attributes that are known only after authentication. */
    Set<String> lateNames() {
        return late.keySet().stream().collect(Collectors.toUnmodifiableSet());
    }

    /** Returns the attributes that are known when the request arrives. */
    Map<String, String> early(ServerWebExchange exchange) {
        ServerHttpRequest request = exchange.getRequest();
        Map<String, String> attributes = new HashMap<>();
        attributes.put("channel", "http");
        attributes.put(
                "ip",
                weir.clients().of(remote(request), lines(request, "Forwarded"), lines(request, "X-Forwarded-For")));
        String method = request.getMethod().name();
        attributes.put("method", method.equals("HEAD") ? "GET" : AttributeText.bounded(method));
        attributes.put("path", request.getPath().pathWithinApplication().value());
        early.forEach((name, extractor) -> AttributeText.put(attributes, name, extractor.extract(exchange, null)));
        return attributes;
    }

    /** Returns the attributes that are known only after authentication; empty before it. */
    Mono<Map<String, String>> late(ServerWebExchange exchange) {
        return exchange.getPrincipal()
                .map(user -> late(exchange, user))
                .switchIfEmpty(Mono.fromSupplier(() -> late(exchange, null)));
    }

    private Map<String, String> late(ServerWebExchange exchange, @Nullable Principal user) {
        Map<String, String> attributes = new HashMap<>();
        late.forEach((name, extractor) -> AttributeText.put(attributes, name, extractor.extract(exchange, user)));
        return attributes;
    }

    /** Returns the remote address. All clients without one share a fixed value. */
    private static String remote(ServerHttpRequest request) {
        InetSocketAddress remote = request.getRemoteAddress();
        if (remote == null) {
            return "unknown";
        }
        return remote.getAddress() == null
                ? remote.getHostString()
                : remote.getAddress().getHostAddress();
    }

    /** Returns every line of a header, by the only method that Spring 6 and 7 have in common. */
    static List<String> lines(ServerHttpRequest request, String header) {
        return request.getHeaders().headerSet().stream()
                .filter(entry -> entry.getKey().equalsIgnoreCase(header))
                .flatMap(entry -> entry.getValue().stream())
                .toList();
    }
}
