package dev.weir.spring;

import dev.weir.engine.Weir;
import dev.weir.engine.idempotency.MemoryResponseStore;
import dev.weir.spi.Backend;
import dev.weir.spi.idempotency.ResponseStore;
import dev.weir.spring.web.FilterOrders;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;

/** Provides the engine, which is closed with the application, unless the application has its own. */
@AutoConfiguration
@EnableConfigurationProperties(WeirProperties.class)
public class WeirAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    Weir weir(
            WeirProperties properties,
            Environment environment,
            ResourceLoader resources,
            ObjectProvider<Backend> backend) {
        return new EngineFactory(properties, environment, resources, backend.getIfAvailable()).open();
    }

    @Bean
    @ConditionalOnMissingBean
    StartupReport weirStartupReport(Weir weir, ObjectProvider<Backend> backend, ObjectProvider<FilterOrders> orders) {
        return new StartupReport(weir, backend.getIfAvailable() != null, orders);
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnWebApplication
    @ConditionalOnProperty(name = "weir.filter.enabled", matchIfMissing = true)
    FilterOrders weirFilterOrders(WeirProperties properties, Environment environment, ResourceLoader resources) {
        return FilterOrders.of(properties.filter(), environment, resources.getClassLoader());
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnWebApplication
    @ConditionalOnProperty("weir.idempotency.enabled")
    ResponseStore weirResponses() {
        return new MemoryResponseStore();
    }
}
