package dev.weir.example.saas;

import dev.weir.engine.Weir;
import java.util.Map;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

/** The running application. Closing it closes the engine, too. */
final class SaasServer implements AutoCloseable {
    private final ConfigurableApplicationContext context;

    private SaasServer(ConfigurableApplicationContext context) {
        this.context = context;
    }

    /**
     * Starts the application on an engine that the starter creates.
     *
     * @param port 0 picks a free port
     * @param store the URI of the store
     */
    static SaasServer start(String host, int port, String store) {
        return run(application(), Map.of("server.address", host, "server.port", port, "weir.store", store));
    }

    /** Starts the application on a given engine. */
    static SaasServer start(String host, int port, Weir weir) {
        return run(
                application()
                        .initializers(
                                context -> ((GenericApplicationContext) context).registerBean(Weir.class, () -> weir)),
                Map.of("server.address", host, "server.port", port));
    }

    private static SpringApplicationBuilder application() {
        return new SpringApplicationBuilder(SaasApplication.class)
                .logStartupInfo(false)
                .registerShutdownHook(false);
    }

    /** Runs the application. These properties override {@code application.yaml}. */
    private static SaasServer run(SpringApplicationBuilder application, Map<String, Object> properties) {
        String[] arguments = properties.entrySet().stream()
                .map(property -> "--" + property.getKey() + "=" + property.getValue())
                .toArray(String[]::new);
        return new SaasServer(application.run(arguments));
    }

    int port() {
        return ((ServletWebServerApplicationContext) context).getWebServer().getPort();
    }

    @Override
    public void close() {
        context.close();
    }
}
