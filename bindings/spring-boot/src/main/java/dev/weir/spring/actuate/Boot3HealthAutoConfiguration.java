package dev.weir.spring.actuate;

import dev.weir.engine.Weir;
import dev.weir.spring.WeirAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Health for Spring Boot 3. Spring Boot 4 has it in another module, under other names. */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnClass(name = "org.springframework.boot.actuate.health.HealthIndicator")
@ConditionalOnBean(Weir.class)
class Boot3HealthAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = "weirHealthIndicator")
    @ConditionalOnEnabledHealthIndicator("weir")
    HealthIndicator weirHealthIndicator(Weir weir) {
        return () -> {
            StoreState store = StoreState.of(weir);
            return (store.answers() ? Health.up() : Health.down())
                    .withDetails(store.details())
                    .build();
        };
    }
}
