package dev.weir.spring.servlet;

import dev.weir.binding.servlet.Extractor;
import dev.weir.binding.servlet.Idempotency;
import dev.weir.binding.servlet.Refusal;
import dev.weir.binding.servlet.WeirFilter;
import dev.weir.engine.Weir;
import dev.weir.spi.idempotency.ResponseStore;
import dev.weir.spring.WeirProperties;
import dev.weir.spring.web.AttributeSource;
import dev.weir.spring.web.LimitedPaths;
import dev.weir.spring.web.TokenClaims;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.RequestPath;

/** Creates the filter from the properties. */
final class FilterFactory {
    private FilterFactory() {}

    static WeirFilter.Builder builder(
            Weir weir, WeirProperties properties, Refusal refusal, @Nullable ResponseStore responses) {
        LimitedPaths mapped = LimitedPaths.decoded(properties.filter());
        LimitedPaths sent = LimitedPaths.sent(properties.filter());
        WeirFilter.Builder filter = WeirFilter.builder(weir)
                .onRefusal(refusal)
                .skipping(request -> !mapped.contains(path(request)) && !isLimitedAsSent(request, sent));
        properties
                .attributes()
                .forEach((name, source) -> filter.attribute(name, extractor(AttributeSource.of(name, source))));
        if (responses != null) {
            filter.idempotency(idempotency(properties.idempotency(), responses));
        }
        return filter;
    }

    private static Idempotency idempotency(WeirProperties.Idempotency properties, ResponseStore responses) {
        Idempotency idempotency =
                Idempotency.with(responses).withHeader(properties.header()).withTtl(properties.ttl());
        return properties.required() ? idempotency.requiring() : idempotency;
    }

    /** Returns the path as the container maps it: decoded, with dot segments resolved. */
    private static String path(HttpServletRequest request) {
        String below = request.getPathInfo();
        return below == null ? request.getServletPath() : request.getServletPath() + below;
    }

    /**
     * Matches the path as sent, as Spring's mappings resolve no dot segments: {@code /export/../health} is below {@code
     * /export}.
     */
    private static boolean isLimitedAsSent(HttpServletRequest request, LimitedPaths sent) {
        try {
            return sent.contains(RequestPath.parse(request.getRequestURI(), request.getContextPath())
                    .pathWithinApplication());
        } catch (IllegalArgumentException e) {
            // Spring cannot parse this path.
            return true;
        }
    }

    private static Extractor extractor(AttributeSource source) {
        return switch (source.kind()) {
            case PRINCIPAL -> Extractor.principal();
            case HEADER -> Extractor.header(source.name());
            case COOKIE -> Extractor.cookie(source.name());
            case CLAIM -> Extractor.claim(source.name(), request -> claims(source.name(), request));
            case JSON -> Extractor.jsonBody(source.name());
        };
    }

    /** Returns the claims. Those that the application has set precede those of the token. */
    private static Map<?, ?> claims(String name, HttpServletRequest request) {
        return request.getAttribute(Extractor.CLAIMS) instanceof Map<?, ?> own && own.containsKey(name)
                ? own
                : TokenClaims.of(request.getUserPrincipal());
    }
}
