package dev.weir.binding.websocket;

import jakarta.servlet.DispatcherType;
import jakarta.websocket.server.ServerContainer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.websocket.server.WsSci;
import org.junit.jupiter.api.Tag;

/** The adapter for Jakarta WebSocket, in Tomcat. */
@Tag("io")
class JakartaAdapterTest extends AdapterSuite {
    private Tomcat tomcat;

    @Override
    int start() throws Exception {
        Path base = Files.createTempDirectory("tomcat");
        tomcat = new Tomcat();
        tomcat.setBaseDir(base.toString());
        tomcat.setPort(0);
        Context context = tomcat.addContext("", base.toString());
        HandshakeFilter filter = new HandshakeFilter(weir, connections, request -> {
            String user = request.getHeader("X-User");
            return user == null ? Map.of() : Map.of("user", user);
        });
        context.addServletContainerInitializer(new WsSci(), Set.of());
        context.addServletContainerInitializer(
                (classes, servlets) -> {
                    var registration = servlets.addFilter("handshakes", filter);
                    registration.setAsyncSupported(true);
                    registration.addMappingForUrlPatterns(EnumSet.of(DispatcherType.REQUEST), false, "/*");
                    try {
                        ((ServerContainer) servlets.getAttribute(ServerContainer.class.getName()))
                                .addEndpoint(LimitedEndpoint.config("/ws", pipeline));
                    } catch (jakarta.websocket.DeploymentException e) {
                        throw new IllegalStateException(e);
                    }
                },
                Set.of());
        Tomcat.addServlet(context, "default", new org.apache.catalina.servlets.DefaultServlet());
        context.addServletMappingDecoded("/", "default");
        tomcat.getConnector();
        tomcat.start();
        return tomcat.getConnector().getLocalPort();
    }

    @Override
    void stop() throws Exception {
        if (tomcat != null) {
            tomcat.stop();
            tomcat.destroy();
            tomcat = null;
        }
    }
}
