package dev.weir.spring.servlet;

import dev.weir.binding.servlet.Refusal;
import dev.weir.binding.servlet.WeirFilter;
import dev.weir.engine.Weir;
import dev.weir.spi.idempotency.ResponseStore;
import dev.weir.spring.WeirAutoConfiguration;
import dev.weir.spring.WeirProperties;
import dev.weir.spring.method.WebCalls;
import dev.weir.spring.web.FilterOrders;
import dev.weir.spring.web.RefusalProperty;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import java.util.EnumSet;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.servlet.DispatcherServlet;

/**
 * Provides the filters of servlet applications, before and behind authentication, and the response to refused methods.
 */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({Filter.class, RequestContextHolder.class})
@ConditionalOnBean(Weir.class)
class ServletAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnProperty(name = "weir.filter.enabled", matchIfMissing = true)
    WeirFilter weirFilter(
            Weir weir,
            WeirProperties properties,
            ObjectProvider<Refusal> refusal,
            ObjectProvider<ResponseStore> responses,
            ObjectProvider<WeirFilterCustomizer> customizers) {
        WeirFilter.Builder filter = FilterFactory.builder(
                weir,
                properties,
                refusal.getIfAvailable(() -> Refusal.PROBLEM),
                properties.idempotency().enabled() ? responses.getObject() : null);
        customizers.orderedStream().forEach(customizer -> customizer.customize(filter));
        return filter.build();
    }

    @Bean
    @ConditionalOnMissingBean(name = "weirFilterRegistration")
    @ConditionalOnBean(WeirFilter.class)
    FilterRegistrationBean<WeirFilter> weirFilterRegistration(WeirFilter filter, FilterOrders orders) {
        FilterRegistrationBean<WeirFilter> registration = registration(filter, "weir", orders.first());
        registration.setDispatcherTypes(EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC, DispatcherType.ERROR));
        return registration;
    }

    @Bean
    @ConditionalOnMissingBean(name = "weirFilterAfterAuthentication")
    @ConditionalOnBean(WeirFilter.class)
    FilterRegistrationBean<Filter> weirFilterAfterAuthentication(WeirFilter filter, FilterOrders orders) {
        Integer order = orders.second();
        FilterRegistrationBean<Filter> registration = registration(
                order == null
                        ? (request, response, chain) -> chain.doFilter(request, response)
                        : filter.afterAuthentication(),
                "weirAfterAuthentication",
                order == null ? 0 : order);
        registration.setDispatcherTypes(EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC));
        registration.setEnabled(order != null);
        return registration;
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnProperty("weir.refusal.body")
    Refusal weirRefusal(WeirProperties properties) {
        return RefusalProperty.of(properties.refusal(), Refusal::of);
    }

    @Bean
    @ConditionalOnMissingBean
    WebCalls weirServletCalls(ObjectProvider<WeirFilter> filter) {
        return new ServletCalls(filter);
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnClass(DispatcherServlet.class)
    RateLimitedAdvice weirRateLimitedAdvice(ObjectProvider<Refusal> refusal) {
        return new RateLimitedAdvice(refusal.getIfAvailable(() -> Refusal.PROBLEM));
    }

    private static <T extends Filter> FilterRegistrationBean<T> registration(T filter, String name, int order) {
        FilterRegistrationBean<T> registration = new FilterRegistrationBean<>(filter);
        registration.setName(name);
        registration.setOrder(order);
        registration.setAsyncSupported(true);
        return registration;
    }
}
