package dev.weir.spring;

import jakarta.servlet.ServletContainerInitializer;
import jakarta.servlet.ServletContext;
import org.springframework.boot.web.servlet.ServletContextInitializer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Enables WebSockets in Tomcat. In Spring Boot 4 a module that the registries lack does this, so the tests do it. If
 * Spring Boot has done it, nothing happens.
 */
@Configuration(proxyBeanMethods = false)
public class TomcatWebSockets {
    private static final String CONTAINER = "jakarta.websocket.server.ServerContainer";

    @Bean
    public ServletContextInitializer tomcatWebSockets() {
        return context -> {
            if (context.getAttribute(CONTAINER) == null) {
                start(context);
            }
        };
    }

    private static void start(ServletContext context) {
        try {
            ServletContainerInitializer initializer =
                    (ServletContainerInitializer) Class.forName("org.apache.tomcat.websocket.server.WsSci")
                            .getDeclaredConstructor()
                            .newInstance();
            initializer.onStartup(null, context);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
