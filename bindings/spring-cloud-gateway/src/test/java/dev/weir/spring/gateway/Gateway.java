package dev.weir.spring.gateway;

import dev.weir.engine.settings.InMemorySettings;
import dev.weir.memory.MemoryStore;
import dev.weir.memory.MemoryStoreOptions;
import dev.weir.memory.TimeSource;
import dev.weir.spi.Backend;
import dev.weir.testkit.FailureInjectingStore;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.userdetails.MapReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.security.web.server.firewall.ServerWebExchangeFirewall;

/** A gateway on a real Netty and its own port, and a client of it. */
final class Gateway implements AutoCloseable {
    private static final HttpClient CLIENT = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(60))
            .build();

    private final ConfigurableApplicationContext context;

    private Gateway(ConfigurableApplicationContext context) {
        this.context = context;
    }

    /** A gateway whose requests may be authenticated, with a memory store that can fail and whose clock stands still. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        @Bean
        Backend backend() {
            MemoryStoreOptions options = MemoryStoreOptions.defaults().timeSource(new StillTime());
            return new Backend(new FailureInjectingStore(MemoryStore.create(options)), new InMemorySettings());
        }

        /** No other component refuses a path. */
        @Bean
        ServerWebExchangeFirewall firewall() {
            return ServerWebExchangeFirewall.INSECURE_NOOP;
        }

        @Bean
        SecurityWebFilterChain security(ServerHttpSecurity http) {
            return http.csrf(csrf -> csrf.disable())
                    .headers(headers -> headers.disable())
                    .authorizeExchange(exchanges -> exchanges.anyExchange().permitAll())
                    .httpBasic(Customizer.withDefaults())
                    .build();
        }

        @Bean
        MapReactiveUserDetailsService users() {
            return new MapReactiveUserDetailsService(
                    User.withUsername("ann")
                            .password("{noop}secret")
                            .roles("USER")
                            .build(),
                    User.withUsername("ben")
                            .password("{noop}secret")
                            .roles("USER")
                            .build());
        }
    }

    private static final class StillTime implements TimeSource {
        private final long epochMillis = System.currentTimeMillis();

        @Override
        public long nanos() {
            return 0;
        }

        @Override
        public long epochMillis() {
            return epochMillis;
        }
    }

    /**
     * Starts with a configuration in YAML, in which the port of the upstream is {@code 9000}. A connection serves one
     * request: Reactor Netty up to 1.3.7, which Spring Boot 4.1.1 uses, may stop reading from a connection when a
     * response is complete at once (reactor-netty issue 4361).
     */
    static Gateway start(Class<?> application, Path directory, String yaml, Upstream upstream) throws IOException {
        Path file = Files.createTempFile(directory, "application", ".yaml");
        Files.writeString(file, yaml.replace("127.0.0.1:9000", "127.0.0.1:" + upstream.port()));
        return new Gateway(new SpringApplicationBuilder(application)
                .web(WebApplicationType.REACTIVE)
                .bannerMode(Banner.Mode.OFF)
                .registerShutdownHook(false)
                .run(
                        "--server.port=0",
                        "--server.address=127.0.0.1",
                        "--server.netty.max-keep-alive-requests=1",
                        "--spring.jmx.enabled=false",
                        "--spring.main.log-startup-info=false",
                        "--logging.level.root=error",
                        "--spring.config.location=" + file.toUri()));
    }

    int port() {
        return context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
    }

    FailureInjectingStore store() {
        return (FailureInjectingStore) context.getBean(Backend.class).store();
    }

    HttpResponse<String> get(String path, String... headers) throws Exception {
        return send("GET", path, headers);
    }

    HttpResponse<String> send(String method, String path, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path))
                .timeout(Duration.ofMinutes(2))
                .method(method, BodyPublishers.noBody());
        if (headers.length > 0) {
            request.headers(headers);
        }
        return CLIENT.send(request.build(), BodyHandlers.ofString());
    }

    static String header(HttpResponse<?> response, String name) {
        return String.join(" | ", response.headers().allValues(name));
    }

    @Override
    public void close() {
        context.close();
    }
}
