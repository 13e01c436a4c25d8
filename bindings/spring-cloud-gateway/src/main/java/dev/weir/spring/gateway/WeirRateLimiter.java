package dev.weir.spring.gateway;

import dev.weir.engine.AttributeText;
import dev.weir.engine.Outcome;
import dev.weir.engine.Request;
import dev.weir.engine.Weir;
import dev.weir.engine.http.HttpDecision;
import dev.weir.spring.web.AnswerMono;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.cloud.gateway.filter.ratelimit.AbstractRateLimiter;
import org.springframework.cloud.gateway.route.RouteDefinitionRouteLocator;
import org.springframework.cloud.gateway.support.ConfigurationService;
import reactor.core.publisher.Mono;

/**
 * Weir as the {@code RateLimiter} of the gateway's own filter {@code RequestRateLimiter}. That filter passes the id of
 * the route and one key, so only limits that need no other attribute of a request apply, and a refusal has no body. The
 * filter {@code Weir} has neither restriction. Thread-safe.
 */
public final class WeirRateLimiter extends AbstractRateLimiter<WeirRateLimiter.Config> {
    /** The prefix of the arguments that are for this limiter. */
    public static final String PREFIX = "weir-rate-limiter";

    private static final Config DEFAULT = new Config();

    private final Weir weir;
    /** By the id of the route. The gateway adds routes while requests read them. */
    private final Map<String, Config> routes = new ConcurrentHashMap<>();

    WeirRateLimiter(Weir weir, ConfigurationService configurationService) {
        super(Config.class, PREFIX, configurationService);
        this.weir = weir;
    }

    @Override
    public Map<String, Config> getConfig() {
        return routes;
    }

    @Override
    public Mono<Response> isAllowed(String routeId, String key) {
        return Mono.defer(() -> AnswerMono.of(weir.checkAsync(Request.of(attributes(routeId, key)))))
                .map(WeirRateLimiter::response);
    }

    private Map<String, String> attributes(String routeId, String key) {
        Config all = routes.getOrDefault(RouteDefinitionRouteLocator.DEFAULT_FILTERS, DEFAULT);
        Config config = routes.getOrDefault(routeId, all);
        Map<String, String> attributes = new HashMap<>(config.getAttributes());
        attributes.put("channel", "http");
        AttributeText.put(attributes, WeirGatewayFilterFactory.ROUTE, routeId);
        AttributeText.put(attributes, config.getKeyAttribute(), key);
        return attributes;
    }

    private static Response response(Outcome outcome) {
        Map<String, String> headers = new LinkedHashMap<>();
        HttpDecision.headers(outcome, System.currentTimeMillis(), headers::put);
        return new Response(outcome.allowed(), headers);
    }

    /** The arguments of one route. Not thread-safe. */
    public static final class Config {
        private String keyAttribute = "user";
        private Map<String, String> attributes = Map.of();

        /** The attribute that the key of the {@code KeyResolver} becomes; {@code user} by default. */
        public String getKeyAttribute() {
            return keyAttribute;
        }

        /** Sets the attribute that the key of the {@code KeyResolver} becomes. */
        public void setKeyAttribute(String newKeyAttribute) {
            keyAttribute = newKeyAttribute;
        }

        /** The attributes that are the same for all requests of the route. */
        public Map<String, String> getAttributes() {
            return attributes;
        }

        /** Sets the attributes that are the same for all requests of the route. */
        public void setAttributes(Map<String, String> newAttributes) {
            attributes = newAttributes;
        }
    }
}
