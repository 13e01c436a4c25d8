package dev.weir.spring.gateway;

import dev.weir.engine.Weir;
import dev.weir.spring.WeirAutoConfiguration;
import dev.weir.spring.reactive.WeirWebFilter;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.cloud.gateway.filter.GatewayFilter;
import org.springframework.cloud.gateway.support.ConfigurationService;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;

/**
 * Provides the filter of routes and the gateway's {@code RateLimiter}. Before the gateway's own configuration, which
 * looks for a {@code RateLimiter}, and before the web filter's, which this one replaces.
 */
@AutoConfiguration(
        after = WeirAutoConfiguration.class,
        beforeName = {
            "dev.weir.spring.reactive.ReactiveAutoConfiguration",
            "org.springframework.cloud.gateway.config.GatewayAutoConfiguration"
        })
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass(GatewayFilter.class)
@ConditionalOnProperty(name = "spring.cloud.gateway.server.webflux.enabled", matchIfMissing = true)
@ConditionalOnBean(Weir.class)
class WeirGatewayAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean
    WeirGatewayFilterFactory weirGatewayFilterFactory(ObjectProvider<WeirWebFilter.Builder> builders) {
        return new WeirGatewayFilterFactory(builders);
    }

    /** The default of the gateway's own filter, also where Spring Data Redis provides another limiter. */
    @Bean
    @Primary
    @ConditionalOnMissingBean
    WeirRateLimiter weirRateLimiter(Weir weir, ConfigurationService configurationService) {
        return new WeirRateLimiter(weir, configurationService);
    }

    /**
     * Replaces the web filter, which would decide each request before its route is known, by one that decides nothing.
     * Not if the property is set: {@code true} keeps the web filter.
     */
    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnProperty(name = "weir.filter.enabled", havingValue = "unset", matchIfMissing = true)
    WeirWebFilter weirWebFilter(WeirWebFilter.Builder builder) {
        return builder.skipping(exchange -> true).build();
    }
}
