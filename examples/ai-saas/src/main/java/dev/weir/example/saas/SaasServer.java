package dev.weir.example.saas;

import dev.weir.engine.Weir;
import java.util.Map;
import org.springframework.boot.Banner;
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

    /** @param port 0 picks a free one */
    static SaasServer start(String host, int port, Weir weir) {
        return new SaasServer(new SpringApplicationBuilder(SaasApplication.class)
                .bannerMode(Banner.Mode.OFF)
                .logStartupInfo(false)
                .registerShutdownHook(false)
                .initializers(context -> ((GenericApplicationContext) context).registerBean(Weir.class, () -> weir))
                .properties(Map.of(
                        "server.address",
                        host,
                        "server.port",
                        port,
                        "server.error.include-message",
                        "always",
                        "logging.level.root",
                        "WARN"))
                .run());
    }

    int port() {
        return ((ServletWebServerApplicationContext) context).getWebServer().getPort();
    }

    @Override
    public void close() {
        context.close();
    }
}
