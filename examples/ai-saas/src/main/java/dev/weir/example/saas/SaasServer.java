package dev.weir.example.saas;

import dev.weir.engine.Weir;
import java.util.Map;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

/** The application, running. Closing it closes the engine, too. */
final class SaasServer implements AutoCloseable {
    private final ConfigurableApplicationContext context;

    private SaasServer(ConfigurableApplicationContext context) {
        this.context = context;
    }

    /**
     * Starts it on an engine that the starter makes.
     *
     * @param port 0 picks a free one
     * @param store where counts are
     */
    static SaasServer start(String host, int port, String store) {
        return run(application(), Map.of("server.address", host, "server.port", port, "weir.store", store));
    }

    /** Starts it on an engine that is at hand. */
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

    /** What is given here counts more than {@code application.yaml}. */
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
