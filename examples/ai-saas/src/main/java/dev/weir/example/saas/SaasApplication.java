package dev.weir.example.saas;

import dev.weir.binding.servlet.Extractor;
import dev.weir.binding.servlet.WeirFilter;
import dev.weir.engine.Weir;
import dev.weir.engine.connection.ConnectionLimits;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import java.util.EnumSet;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.web.socket.config.annotation.EnableWebSocket;
import org.springframework.web.socket.config.annotation.WebSocketConfigurer;

/** The application, put together: limits, who is there, limits by who is there; then what it does. */
@SpringBootApplication
@EnableWebSocket
class SaasApplication {
    private static final int BEFORE_AUTHENTICATION = -110;
    private static final int AUTHENTICATION = -100;
    private static final int AFTER_AUTHENTICATION = -90;

    @Bean
    Authentication authentication(Members members) {
        return new Authentication(members);
    }

    @Bean
    WeirFilter limits(Weir weir, Authentication authentication) {
        return WeirFilter.builder(weir)
                .attribute("user", Extractor.principal())
                .attribute("plan", Extractor.claim("plan"))
                .skipping(request -> isDecidedByItsReservation(request, authentication))
                .build();
    }

    /**
     * A member's completion is decided by all layers when its tokens are reserved, in one step, and must not be charged
     * twice. One without a member never comes that far: it is limited like any other.
     */
    private static boolean isDecidedByItsReservation(HttpServletRequest request, Authentication authentication) {
        return request.getRequestURI().equals(CompletionController.PATH)
                && request.getMethod().equals("POST")
                && authentication.memberOf(request).isPresent();
    }

    @Bean
    FilterRegistrationBean<WeirFilter> limitsBeforeAuthentication(WeirFilter limits) {
        FilterRegistrationBean<WeirFilter> registration = registration(limits, BEFORE_AUTHENTICATION);
        registration.setDispatcherTypes(EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC, DispatcherType.ERROR));
        return registration;
    }

    @Bean
    FilterRegistrationBean<Authentication> authenticationRegistration(Authentication authentication) {
        return registration(authentication, AUTHENTICATION);
    }

    @Bean
    FilterRegistrationBean<Filter> limitsAfterAuthentication(WeirFilter limits) {
        FilterRegistrationBean<Filter> registration = registration(limits.afterAuthentication(), AFTER_AUTHENTICATION);
        registration.setName("limitsAfterAuthentication");
        return registration;
    }

    @Bean
    ConnectionLimits connections(Weir weir) {
        return new ConnectionLimits(weir);
    }

    @Bean
    WebSocketConfigurer sockets(LiveConnections live) {
        return registry -> registry.addHandler(live, LiveConnections.PATH).addInterceptors(live);
    }

    private static <T extends Filter> FilterRegistrationBean<T> registration(T filter, int order) {
        FilterRegistrationBean<T> registration = new FilterRegistrationBean<>(filter);
        registration.setOrder(order);
        registration.setAsyncSupported(true);
        registration.setDispatcherTypes(EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC));
        return registration;
    }
}
