package dev.weir.spring.reactive;

import dev.weir.binding.servlet.Extractor;
import dev.weir.engine.AttributeText;
import dev.weir.engine.Weir;
import dev.weir.spring.SetupException;
import dev.weir.spring.web.AttributeSource;
import dev.weir.spring.web.TokenClaims;
import java.net.InetSocketAddress;
import java.security.Principal;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpCookie;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Makes attributes of an exchange, as the servlet binding does of a request. Immutable. */
final class ExchangeReader {
    private final Weir weir;
    private final Map<String, AttributeSource> early = new LinkedHashMap<>();
    private final Map<String, AttributeSource> late = new LinkedHashMap<>();

    /** @throws SetupException if a source is none, or is of servlets only */
    ExchangeReader(Weir weir, Map<String, String> sources) {
        this.weir = weir;
        sources.forEach((name, text) -> {
            AttributeSource source = AttributeSource.of(name, text);
            if (source.kind() == AttributeSource.Kind.JSON) {
                throw new SetupException(
                        "weir.attributes." + name + " is '" + text + "', and this is a reactive application.",
                        "Bodies are looked at in servlet applications only; limit a method by @RateLimited instead.");
            }
            (source.needsUser() ? late : early).put(name, source);
        });
    }

    /** The names of what is known only after authentication. */
    Set<String> lateNames() {
        return late.keySet().stream().collect(Collectors.toUnmodifiableSet());
    }

    /** What is known of a request when it arrives. */
    Map<String, String> early(ServerWebExchange exchange) {
        ServerHttpRequest request = exchange.getRequest();
        Map<String, String> attributes = new HashMap<>();
        attributes.put("channel", "http");
        attributes.put(
                "ip",
                weir.clients().of(remote(request), lines(request, "Forwarded"), lines(request, "X-Forwarded-For")));
        String method = request.getMethod().name();
        attributes.put("method", method.equals("HEAD") ? "GET" : AttributeText.bounded(method));
        attributes.put(
                "path",
                AttributeText.bounded(request.getPath().pathWithinApplication().value()));
        early.forEach((name, source) -> put(attributes, name, value(source, request)));
        return attributes;
    }

    /** What is known once it is authenticated; nothing of it before. */
    Mono<Map<String, String>> late(ServerWebExchange exchange) {
        return exchange.getPrincipal()
                .map(user -> late(exchange, user))
                .switchIfEmpty(Mono.fromSupplier(() -> late(exchange, null)));
    }

    private Map<String, String> late(ServerWebExchange exchange, @Nullable Principal user) {
        Map<String, String> attributes = new HashMap<>();
        late.forEach((name, source) -> put(
                attributes,
                name,
                source.kind() == AttributeSource.Kind.CLAIM
                        ? claim(source.name(), exchange, user)
                        : user == null ? null : user.getName()));
        return attributes;
    }

    private static @Nullable String value(AttributeSource source, ServerHttpRequest request) {
        if (source.kind() == AttributeSource.Kind.HEADER) {
            return request.getHeaders().getFirst(source.name());
        }
        HttpCookie cookie = request.getCookies().getFirst(source.name());
        return cookie == null ? null : cookie.getValue();
    }

    /** One that the application has set comes before one of the token. */
    private static @Nullable String claim(String name, ServerWebExchange exchange, @Nullable Principal user) {
        return TokenClaims.text(
                exchange.getAttribute(Extractor.CLAIMS) instanceof Map<?, ?> own && own.containsKey(name)
                        ? own.get(name)
                        : TokenClaims.of(user).get(name));
    }

    /** Who has no address shares one with all who have none. */
    private static String remote(ServerHttpRequest request) {
        InetSocketAddress remote = request.getRemoteAddress();
        if (remote == null) {
            return "unknown";
        }
        return remote.getAddress() == null
                ? remote.getHostString()
                : remote.getAddress().getHostAddress();
    }

    /** Every line of a header: the one way that both generations of Spring have. */
    private static List<String> lines(ServerHttpRequest request, String header) {
        return request.getHeaders().headerSet().stream()
                .filter(entry -> entry.getKey().equalsIgnoreCase(header))
                .flatMap(entry -> entry.getValue().stream())
                .toList();
    }

    private static void put(Map<String, String> attributes, String name, @Nullable String value) {
        if (value != null && !value.isEmpty()) {
            attributes.put(name, AttributeText.bounded(value));
        }
    }
}
