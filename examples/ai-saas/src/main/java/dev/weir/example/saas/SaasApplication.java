package dev.weir.example.saas;

import dev.weir.spring.servlet.WeirFilterCustomizer;
import dev.weir.spring.websocket.WeirWebSockets;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import java.util.EnumSet;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.web.socket.config.annotation.EnableWebSocket;
import org.springframework.web.socket.config.annotation.WebSocketConfigurer;

/** The application, put together. What is limited, and who, is in {@code application.yaml}. */
@SpringBootApplication
@EnableWebSocket
class SaasApplication {
    private static final int AUTHENTICATION = -100;

    @Bean
    Authentication authentication(Members members) {
        return new Authentication(members);
    }

    @Bean
    FilterRegistrationBean<Authentication> authenticationRegistration(Authentication authentication) {
        FilterRegistrationBean<Authentication> registration = new FilterRegistrationBean<>(authentication);
        registration.setOrder(AUTHENTICATION);
        registration.setAsyncSupported(true);
        registration.setDispatcherTypes(EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC));
        return registration;
    }

    @Bean
    WeirFilterCustomizer completionsAreDecidedElsewhere(Authentication authentication) {
        return filter -> filter.skipping(request -> isDecidedByItsReservation(request, authentication));
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
    WebSocketConfigurer sockets(LiveConnections live, WeirWebSockets limits) {
        return registry ->
                registry.addHandler(limits.hold(live), LiveConnections.PATH).addInterceptors(limits.handshake());
    }
}
