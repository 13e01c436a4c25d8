package dev.weir.spring.actuate;

import dev.weir.engine.Weir;
import dev.weir.engine.metric.WeirMeters;
import dev.weir.spring.WeirAutoConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Provides the engine's meters for the application's registry. Spring Boot 3 and 4 bind them. */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnClass({MeterRegistry.class, MeterBinder.class})
@ConditionalOnBean(Weir.class)
class MetersAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    WeirMeters weirMeters(Weir weir) {
        return new WeirMeters(weir);
    }

    @Bean
    @ConditionalOnMissingBean
    MeterRefresh weirMeterRefresh(Weir weir, WeirMeters meters) {
        return new MeterRefresh(weir, meters);
    }
}
