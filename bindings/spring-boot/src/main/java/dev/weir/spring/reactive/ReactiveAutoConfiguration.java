package dev.weir.spring.reactive;

import dev.weir.engine.Weir;
import dev.weir.spi.idempotency.ResponseStore;
import dev.weir.spring.WeirAutoConfiguration;
import dev.weir.spring.WeirProperties;
import dev.weir.spring.web.FilterOrders;
import dev.weir.spring.web.LimitedPaths;
import dev.weir.spring.web.RefusalProperty;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Scope;
import org.springframework.web.server.WebFilter;
import reactor.core.publisher.Mono;

/**
 * Provides the filters of reactive applications, before and behind authentication, and the response to refused methods.
 */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass({Mono.class, WebFilter.class})
@ConditionalOnBean(Weir.class)
class ReactiveAutoConfiguration {
    /** A new builder for each filter, as the properties and the customizers define it. */
    @Bean
    @Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
    @ConditionalOnMissingBean
    WeirWebFilter.Builder weirWebFilterBuilder(
            Weir weir,
            WeirProperties properties,
            ObjectProvider<FilterOrders> orders,
            ObjectProvider<ReactiveRefusal> refusal,
            ObjectProvider<ResponseStore> responses,
            ObjectProvider<WeirWebFilterCustomizer> customizers) {
        FilterOrders known = orders.getIfAvailable();
        WeirWebFilter.Builder filter = new WeirWebFilter.Builder(weir, known == null ? 0 : known.first())
                .onRefusal(refusal.getIfAvailable(() -> ReactiveRefusal.PROBLEM));
        ExchangeReader.extractors(properties.attributes()).forEach(filter::attribute);
        if (properties.idempotency().enabled()) {
            filter.idempotency(new ExchangeIdempotency(properties.idempotency(), responses.getObject()));
        }
        customizers.orderedStream().forEach(customizer -> customizer.customize(filter));
        return filter;
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnProperty(name = "weir.filter.enabled", matchIfMissing = true)
    WeirWebFilter weirWebFilter(WeirWebFilter.Builder builder, WeirProperties properties) {
        LimitedPaths paths = LimitedPaths.sent(properties.filter());
        return builder.skipping(exchange ->
                        !paths.contains(exchange.getRequest().getPath().pathWithinApplication()))
                .build();
    }

    @Bean
    @ConditionalOnMissingBean(name = "weirWebFilterAfterAuthentication")
    @ConditionalOnBean(WeirWebFilter.class)
    WebFilter weirWebFilterAfterAuthentication(WeirWebFilter filter, FilterOrders orders) {
        Integer order = orders.second();
        return order == null ? (exchange, chain) -> chain.filter(exchange) : filter.afterAuthentication(order);
    }

    @Bean
    @ConditionalOnMissingBean
    RateLimitedAdvice weirRateLimitedAdvice(ObjectProvider<ReactiveRefusal> refusal) {
        return new RateLimitedAdvice(refusal.getIfAvailable(() -> ReactiveRefusal.PROBLEM));
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnProperty("weir.refusal.body")
    ReactiveRefusal weirRefusal(WeirProperties properties) {
        return RefusalProperty.of(properties.refusal(), ReactiveRefusal::of);
    }
}
