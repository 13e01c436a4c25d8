package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.fixture.EdgeVectors;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.server.reactive.HttpHandler;
import org.springframework.http.server.reactive.ReactorHttpHandlerAdapter;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.security.web.server.firewall.ServerWebExchangeFirewall;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;

/**
 * WebFlux, on Netty and on the server that Spring Boot chooses: limits count the path that is served and the real
 * client, whatever is sent.
 */
@Tag("io")
class ReactiveEdgeTest {
    @TempDir
    Path directory;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        /** No other component refuses a path. */
        @Bean
        ServerWebExchangeFirewall firewall() {
            return ServerWebExchangeFirewall.INSECURE_NOOP;
        }

        @Bean
        SecurityWebFilterChain security(ServerHttpSecurity http) {
            return http.csrf(csrf -> csrf.disable())
                    .authorizeExchange(exchanges -> exchanges.anyExchange().permitAll())
                    .build();
        }

        @Bean
        RouterFunction<ServerResponse> routes() {
            return RouterFunctions.route()
                    .GET("/export/**", request -> serve("protected"))
                    .GET("/login", request -> serve("protected"))
                    .GET("/v1/models/*:generate", request -> serve("protected"))
                    .GET("/café", request -> serve("protected"))
                    .GET("/**", request -> serve(isProtected(request) ? "protected" : "other"))
                    .build();
        }

        private static boolean isProtected(ServerRequest request) {
            return EdgeVectors.isProtected(request.uri().getPath())
                    || EdgeVectors.isProtected(request.uri().getRawPath());
        }

        private static Mono<ServerResponse> serve(String what) {
            return ServerResponse.ok().header(EdgeVectors.SERVED, what).build();
        }
    }

    @Test
    void paths_areCountedAsTheyAreServed() throws Exception {
        String yaml = "version: 1\nlimits: [{ name: protected, match: { path: " + EdgeVectors.PROTECTED
                + " }, rate: 1000000/hour }]\n";
        try (App app = App.reactive(Application.class, file(yaml))) {
            assertThat(EdgeVectors.pathFaults(app.port())).isEmpty();
            DisposableServer netty = onNetty(app);
            assertThat(EdgeVectors.pathFaults(netty.port())).isEmpty();
            netty.disposeNow();
        }
    }

    @Test
    void addresses_areOneClient() throws Exception {
        for (String header : new String[] {"x-forwarded-for", "forwarded"}) {
            try (App app = App.reactive(Application.class, file(EdgeVectors.addressYaml(header)))) {
                assertThat(EdgeVectors.addressFaults(app.port(), header)).isEmpty();
                DisposableServer netty = onNetty(app);
                assertThat(EdgeVectors.addressFaults(netty.port(), header)).isEmpty();
                netty.disposeNow();
            }
        }
    }

    /** Starts the same application on Netty. Spring Boot prefers Tomcat if both are present. */
    private static DisposableServer onNetty(App app) {
        return HttpServer.create()
                .host("127.0.0.1")
                .port(0)
                .handle(new ReactorHttpHandlerAdapter(app.bean(HttpHandler.class)))
                .bindNow();
    }

    private String file(String yaml) throws Exception {
        Path file = directory.resolve("weir.yaml");
        Files.writeString(file, yaml);
        return "weir.config=file:" + file;
    }
}
