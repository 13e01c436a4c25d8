package dev.weir.spring.gateway;

import dev.weir.spring.reactive.ExchangeExtractor;
import dev.weir.spring.reactive.WeirWebFilter;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.cloud.gateway.filter.GatewayFilter;
import org.springframework.cloud.gateway.filter.GatewayFilterChain;
import org.springframework.cloud.gateway.filter.factory.AbstractGatewayFilterFactory;
import org.springframework.cloud.gateway.route.Route;
import org.springframework.cloud.gateway.support.ServerWebExchangeUtils;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Makes the filter {@code Weir} of a route. It decides all limits of the engine for a request, once, as {@link
 * WeirWebFilter} does in an application without routes: the same attributes, headers, refusals and idempotency keys.
 * The id of the route is the attribute {@value #ROUTE}.
 */
public final class WeirGatewayFilterFactory extends AbstractGatewayFilterFactory<WeirGatewayFilterFactory.Config> {
    /** The attribute that holds the id of the route. */
    public static final String ROUTE = "route";

    private final ObjectProvider<WeirWebFilter.Builder> builders;

    /** @param builders returns a new builder at each call */
    WeirGatewayFilterFactory(ObjectProvider<WeirWebFilter.Builder> builders) {
        super(Config.class);
        this.builders = builders;
    }

    @Override
    public GatewayFilter apply(Config config) {
        WeirWebFilter.Builder builder = builders.getObject();
        builder.attribute(ROUTE, ExchangeExtractor.of(WeirGatewayFilterFactory::routeId));
        config.getAttributes()
                .forEach((name, value) -> builder.attribute(name, ExchangeExtractor.of(exchange -> value)));
        return new RouteFilter(builder.build(), Map.copyOf(config.getAttributes()));
    }

    /** Returns the id of the route. An empty value is an absent attribute. */
    private static String routeId(ServerWebExchange exchange) {
        Object route = exchange.getAttribute(ServerWebExchangeUtils.GATEWAY_ROUTE_ATTR);
        return route instanceof Route known ? known.getId() : "";
    }

    /** The arguments of the filter. Not thread-safe. */
    public static final class Config {
        private Map<String, String> attributes = Map.of();

        /** The attributes that are the same for all requests of the route. */
        public Map<String, String> getAttributes() {
            return attributes;
        }

        /** Sets the attributes that are the same for all requests of the route, such as {@code tier: heavy}. */
        public void setAttributes(Map<String, String> newAttributes) {
            attributes = newAttributes;
        }
    }

    /** A web filter as a filter of one route. */
    private record RouteFilter(WeirWebFilter filter, Map<String, String> attributes) implements GatewayFilter {
        @Override
        public Mono<Void> filter(ServerWebExchange exchange, GatewayFilterChain chain) {
            return filter.filter(exchange, chain::filter);
        }

        /** The text that the gateway's actuator endpoint shows. */
        @Override
        public String toString() {
            return "[Weir attributes = " + attributes + "]";
        }
    }
}
