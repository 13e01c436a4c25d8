package dev.weir.spring.actuate;

import dev.weir.engine.Weir;
import dev.weir.spring.WeirAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** Health for Spring Boot 4. Spring Boot 3 has it in the actuator, under other names. */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnClass(name = "org.springframework.boot.health.contributor.HealthIndicator")
@ConditionalOnBean(Weir.class)
class Boot4HealthAutoConfiguration {

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
