package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.fixture.JavaSnippet;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The applications of the migration guides and of the README behave as these pages describe. */
@Tag("io")
class GuideApplicationsTest {
    private static final Path GUIDES = Path.of("../../docs/migrating");
    private static final String LOGIN = "Basic " + Base64.getEncoder().encodeToString("u:p".getBytes());

    @TempDir
    Path directory;

    @Test
    void applicationOfTheGuideFromBucket4jsStarter_limitsRequestsAndMethods() throws Exception {
        run("bucket4j-spring-boot-starter.md", app -> {
            HttpResponse<String> first = get(app, "/api/export/ann");
            assertThat(first.body()).isEqualTo("the export of ann");
            assertThat(App.header(first, "RateLimit-Policy")).contains("\"api\";q=60;w=60", "\"api:2\";q=1000;w=86400");
            assertThat(get(app, "/api/export/ann").body()).isEqualTo("the export of ann");
            assertThat(get(app, "/api/export/ann").body()).isEqualTo("busy");
            assertThat(get(app, "/api/export/ben").body()).isEqualTo("the export of ben");

            HttpResponse<String> last = get(app, "/api/none");
            for (int i = 0; last.statusCode() != 429 && i < 2_000; i++) {
                last = get(app, "/api/none");
            }
            assertThat(last.statusCode()).isEqualTo(429);
            assertThat(last.body()).isEqualTo("{\"error\": \"slow_down\"}");
        });
    }

    @Test
    void applicationOfTheGuideFromResilience4j_callsTheFallback() throws Exception {
        run("resilience4j.md", app -> {
            assertThat(get(app, "/report").body()).isEqualTo("the report");
            assertThat(get(app, "/report").body()).isEqualTo("the report");
            assertThat(get(app, "/report").body()).isEqualTo("busy");
        });
    }

    @Test
    void configurationOfTheReadme_limitsAddressesAndUsers() throws Exception {
        List<String> blocks = JavaSnippet.blocks(Path.of("../../README.md"), "yaml application");
        assertThat(blocks).hasSize(1);
        Path configuration = Files.writeString(
                directory.resolve("application.yaml"), blocks.get(0).replace("redis://localhost:6379", "memory"));
        try (App app =
                App.servlet(Orders.class, "spring.config.location=" + configuration.toUri(), user(), password())) {
            assertThat(App.header(get(app, "/orders/1"), "RateLimit-Policy"))
                    .contains("\"addresses\";q=300;w=60", "\"users\";q=60;w=60");
        }
    }

    private void run(String guide, Use use) throws Exception {
        Path configuration = configuration(guide);
        ClassLoader own = Thread.currentThread().getContextClassLoader();
        try (URLClassLoader demo = compile(guide)) {
            Thread.currentThread().setContextClassLoader(demo);
            try (App app = App.servlet(
                    demo.loadClass("demo.Hello"),
                    "spring.config.location=" + configuration.toUri(),
                    user(),
                    password())) {
                use.with(app);
            }
        } finally {
            Thread.currentThread().setContextClassLoader(own);
        }
    }

    private Path configuration(String guide) throws Exception {
        List<String> blocks = JavaSnippet.blocks(GUIDES.resolve(guide), "yaml application");
        assertThat(blocks).as(guide).hasSize(1);
        return Files.writeString(directory.resolve("application.yaml"), blocks.get(0));
    }

    private URLClassLoader compile(String guide) throws Exception {
        List<String> blocks = JavaSnippet.blocks(GUIDES.resolve(guide), "java application");
        assertThat(blocks).as(guide).hasSize(1);
        Path source = Files.writeString(directory.resolve("Hello.java"), blocks.get(0));
        Path classes = Files.createDirectory(directory.resolve("classes"));
        JavaSnippet.compile(List.of(source.toFile()), classes);
        return new URLClassLoader(
                new URL[] {classes.toUri().toURL()}, getClass().getClassLoader());
    }

    private static HttpResponse<String> get(App app, String path) throws Exception {
        return app.get(path, "Authorization", LOGIN);
    }

    private static String user() {
        return "spring.security.user.name=u";
    }

    private static String password() {
        return "spring.security.user.password=p";
    }

    private interface Use {
        void with(App app) throws Exception;
    }

    @EnableAutoConfiguration
    @RestController
    static class Orders {
        @GetMapping("/orders/1")
        String order() {
            return "an order";
        }
    }
}
