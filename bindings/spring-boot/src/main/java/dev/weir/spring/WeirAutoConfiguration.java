package dev.weir.spring;

import dev.weir.engine.Weir;
import dev.weir.spi.Backend;
import dev.weir.spring.web.FilterOrders;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;

/** The engine, closed with the application. An application that has one of its own keeps that. */
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
}
