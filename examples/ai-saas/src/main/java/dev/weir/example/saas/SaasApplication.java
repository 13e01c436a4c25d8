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

/** The application. Its limits and attributes are in {@code application.yaml}. */
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
     * Whether the request is a member's completion. All layers decide it in one step when its tokens are reserved, so
     * the filter must not charge it again. A completion without a member never gets that far, and is limited like any
     * other request.
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
