package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.fixture.EdgeVectors;
import dev.weir.fixture.RawHttp;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.firewall.FirewalledRequest;
import org.springframework.security.web.firewall.HttpFirewall;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Spring MVC on Tomcat: limits count the path that is served and the real client, whatever is sent. */
@Tag("io")
class MvcEdgeTest {
    private static final String YAML = "version: 1\nlimits: [{ name: protected, match: { path: " + EdgeVectors.PROTECTED
            + " }, rate: 1000000/hour }]\n";

    @TempDir
    Path directory;

    @RestController
    static class Handlers {
        @GetMapping({"/export/**", "/login", "/v1/models/{model}:generate", "/café"})
        void protectedResources(HttpServletResponse response) {
            response.setHeader(EdgeVectors.SERVED, "protected");
        }

        /** Reports the path as the container maps it and as it was sent; an application may use either. */
        @GetMapping("/**")
        void others(HttpServletRequest request, HttpServletResponse response) {
            boolean isProtected = EdgeVectors.isProtected(request.getServletPath())
                    || EdgeVectors.isProtected(request.getRequestURI());
            response.setHeader(EdgeVectors.SERVED, isProtected ? "protected" : "other");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Handlers.class)
    static class Application {
        /** No other component refuses a path. */
        @Bean
        HttpFirewall firewall() {
            return new HttpFirewall() {
                @Override
                public FirewalledRequest getFirewalledRequest(HttpServletRequest request) {
                    return new FirewalledRequest(request) {
                        @Override
                        public void reset() {}
                    };
                }

                @Override
                public HttpServletResponse getFirewalledResponse(HttpServletResponse response) {
                    return response;
                }
            };
        }

        @Bean
        SecurityFilterChain security(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .build();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "spring.mvc.pathmatch.matching-strategy=path_pattern_parser",
                "spring.mvc.pathmatch.matching-strategy=ant_path_matcher",
                "weir.filter.skip=/z,/z/**,/y/**"
            })
    void paths_areCountedAsTheyAreServed(String property) throws Exception {
        try (App app = App.servlet(Application.class, file(YAML), property)) {
            assertThat(EdgeVectors.pathFaults(app.port())).isEmpty();
        }
    }

    /** Tomcat resolves dot segments, Spring's mappings do not. A request is skipped only if both interpretations skip it. */
    @ParameterizedTest
    @ValueSource(strings = {"weir.filter.skip=/health,/z/**", "weir.filter.paths=/export/**"})
    void pathsThatAreNotLimited_areSoInEveryInterpretation(String property) throws Exception {
        String[] paths = {
            "/export/../health",
            "/export/%2e%2e/health",
            "/export/..;/health",
            "/export/..;x=y/health",
            "/export/./../health",
            "/export//../health",
            "/export/;/../health",
            "/%65xport/../health",
            "/export/../z/a",
            "/export/a/../../z/a"
        };
        try (App app = App.servlet(Application.class, file(YAML), property)) {
            int served = 0;
            for (String path : paths) {
                RawHttp.Response response = RawHttp.get(app.port(), path, List.of());
                if ("protected".equals(response.header(EdgeVectors.SERVED))) {
                    served++;
                    assertThat(response.header("X-RateLimit-Remaining"))
                            .as(path)
                            .isNotNull();
                }
            }
            assertThat(served).isGreaterThan(5);
        }
    }

    @Test
    void addresses_areOneClient() throws Exception {
        for (String header : new String[] {"x-forwarded-for", "forwarded"}) {
            try (App app = App.servlet(Application.class, file(EdgeVectors.addressYaml(header)))) {
                assertThat(EdgeVectors.addressFaults(app.port(), header)).isEmpty();
            }
        }
    }

    private String file(String yaml) throws Exception {
        Path file = directory.resolve("weir.yaml");
        Files.writeString(file, yaml);
        return "weir.config=file:" + file;
    }
}
