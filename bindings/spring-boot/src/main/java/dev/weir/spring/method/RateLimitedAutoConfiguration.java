package dev.weir.spring.method;

import dev.weir.engine.Weir;
import dev.weir.spring.WeirAutoConfiguration;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/** Provides limits on methods of beans. */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnBean(Weir.class)
class RateLimitedAutoConfiguration {
    private static final WebCalls NONE = () -> null;

    @Bean
    @ConditionalOnMissingBean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static RateLimitedPostProcessor rateLimitedPostProcessor(
            ObjectProvider<Weir> weir, ObjectProvider<WebCalls> calls, BeanFactory beans, Environment environment) {
        SingletonSupplier<WebCalls> present = SingletonSupplier.of(() -> calls.getIfAvailable(() -> NONE));
        return new RateLimitedPostProcessor(
                new RateLimitedInterceptor(
                        SingletonSupplier.of(weir::getObject)::obtain, present::obtain, beans, reactive()),
                environment.getProperty("spring.aop.proxy-target-class", Boolean.class, true));
    }

    /** Checks at startup, not at the first call, that the limits which annotations name exist. */
    @Bean
    @ConditionalOnMissingBean(name = "rateLimitedCheck")
    SmartInitializingSingleton rateLimitedCheck(RateLimitedPostProcessor found, Weir weir) {
        return () ->
                found.forEach((method, type) -> MethodLimits.of(method, type).check(method, weir.configuration()));
    }

    private static @Nullable ReactiveCalls reactive() {
        return ClassUtils.isPresent("reactor.core.publisher.Mono", RateLimitedAutoConfiguration.class.getClassLoader())
                ? new ReactiveCalls()
                : null;
    }
}
