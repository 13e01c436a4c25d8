package dev.weir.spring.reactive;

import dev.weir.engine.Weir;
import dev.weir.spring.SetupException;
import dev.weir.spring.WeirAutoConfiguration;
import dev.weir.spring.WeirProperties;
import dev.weir.spring.web.FilterOrders;
import dev.weir.spring.web.LimitedPaths;
import org.springframework.beans.factory.BeanClassLoaderAware;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.web.server.WebFilter;
import reactor.core.publisher.Mono;

/** The filter of reactive applications, before and behind authentication, and the answer to refused methods. */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass({Mono.class, WebFilter.class})
@ConditionalOnBean(Weir.class)
class ReactiveAutoConfiguration implements BeanClassLoaderAware {
    private ClassLoader classes = ReactiveAutoConfiguration.class.getClassLoader();

    @Override
    public void setBeanClassLoader(ClassLoader newClasses) {
        classes = newClasses;
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnProperty(name = "weir.filter.enabled", matchIfMissing = true)
    WeirWebFilter weirWebFilter(Weir weir, WeirProperties properties, Environment environment) {
        if (properties.idempotency().enabled()) {
            throw new SetupException(
                    "weir.idempotency.enabled is true, and this is a reactive application.",
                    "Remove it: idempotency keys are for servlet applications.");
        }
        return new WeirWebFilter(
                weir,
                new ExchangeReader(weir, properties.attributes()),
                LimitedPaths.sent(properties.filter()),
                FilterOrders.of(properties.filter(), environment, classes).first());
    }

    @Bean
    @ConditionalOnMissingBean(name = "weirWebFilterAfterAuthentication")
    @ConditionalOnBean(WeirWebFilter.class)
    WebFilter weirWebFilterAfterAuthentication(
            WeirWebFilter filter, WeirProperties properties, Environment environment) {
        Integer order =
                FilterOrders.of(properties.filter(), environment, classes).second();
        return order == null ? (exchange, chain) -> chain.filter(exchange) : filter.afterAuthentication(order);
    }

    @Bean
    @ConditionalOnMissingBean
    RateLimitedAdvice weirRateLimitedAdvice() {
        return new RateLimitedAdvice();
    }
}
