package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.engine.Weir;
import java.io.File;
import java.io.StringWriter;
import java.lang.reflect.Method;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.util.ReflectionUtils;

/** The application of docs/spring-boot.md, with all its parts, behaves as the page describes. */
@Tag("io")
class DocumentationTest {
    private static final Path DOCUMENT = Path.of("../../docs/spring-boot.md");

    @TempDir
    Path directory;

    @Test
    void application_ofTheGuide_runs() throws Exception {
        Path configuration = directory.resolve("application.yaml");
        Files.writeString(configuration, String.join("\n", blocks("yaml")));
        ClassLoader own = Thread.currentThread().getContextClassLoader();
        try (URLClassLoader demo = compile(blocks("java"))) {
            Thread.currentThread().setContextClassLoader(demo);
            try (App app = App.servlet(
                    demo.loadClass("demo.Hello"),
                    "spring.config.location=" + configuration.toUri(),
                    "spring.security.user.name=u",
                    "spring.security.user.password=p")) {
                use(app);
            }
        } finally {
            Thread.currentThread().setContextClassLoader(own);
        }
    }

    @Test
    void bodyByProperty_ofTheGuide_isSent() throws Exception {
        Path configuration = directory.resolve("application.yaml");
        Files.writeString(configuration, block("yaml refusal") + """
                  limits:
                    - { name: all, match: { channel: http }, rate: 1/hour }
                    - { name: calls, rate: 1/hour }
                """);
        try (App app = App.reactive(
                RefusalTest.ReactiveApplication.class, "spring.config.location=" + configuration.toUri())) {
            app.get("/page");
            assertThat(app.get("/page").body())
                    .matches("\\{\"error\": \"slow_down\", \"limit\": \"all\", \"wait\": 3[56]\\d\\d}");
        }
    }

    private static void use(App app) throws Exception {
        String login = "Basic " + Base64.getEncoder().encodeToString("u:p".getBytes());
        for (int i = 0; i < 3; i++) {
            HttpResponse<String> hello = app.get("/hello/ann", "Authorization", login);
            assertThat(hello.statusCode()).isEqualTo(200);
            assertThat(hello.body()).isEqualTo("Hello, ann");
            assertThat(App.header(hello, "RateLimit-Policy")).contains("\"visitors\";q=60;w=60", "\"greetings\"");
        }
        HttpResponse<String> fourth = app.get("/hello/ann", "Authorization", login);
        assertThat(fourth.statusCode()).isEqualTo(429);
        assertThat(fourth.body()).isEqualTo("denied by greetings at /hello/ann");
        assertThat(app.get("/hello/ben", "Authorization", login).statusCode()).isEqualTo(200);
        assertThat(app.bean(Weir.class).configuration().limits()).hasSize(5);
        countsFailedLogins(app);

        List<WebSocket> open = new ArrayList<>();
        open.add(connect(app, login));
        open.add(connect(app, login));
        assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> connect(app, login));
        open.forEach(WebSocket::abort);
    }

    private static void countsFailedLogins(App app) throws Exception {
        Object accounts = app.context.getBean("accounts");
        Method login = ReflectionUtils.findMethod(accounts.getClass(), "login", String.class, String.class);
        login.setAccessible(true);
        for (int i = 0; i < 5; i++) {
            assertThat(login.invoke(accounts, "ann", "right")).isEqualTo(true);
        }
        assertThat(login.invoke(accounts, "ann", "wrong")).isEqualTo(false);
        assertThat(login.invoke(accounts, "ann", "right")).isEqualTo(true);
        assertThat(login.invoke(accounts, "ann", "wrong")).isEqualTo(false);
        assertThat(login.invoke(accounts, "ann", "right")).as("locked").isEqualTo(false);
    }

    private static WebSocket connect(App app, String login) {
        return HttpClient.newHttpClient()
                .newWebSocketBuilder()
                .header("Authorization", login)
                .buildAsync(URI.create("ws://127.0.0.1:" + app.port() + "/echo"), new WebSocket.Listener() {})
                .join();
    }

    private URLClassLoader compile(List<String> sources) throws Exception {
        assertThat(sources).hasSizeGreaterThanOrEqualTo(3);
        List<File> files = new ArrayList<>();
        for (String source : sources) {
            Matcher name = Pattern.compile("class (\\w+)").matcher(source);
            assertThat(name.find()).isTrue();
            Path file = directory.resolve(name.group(1) + ".java");
            Files.writeString(file, source);
            files.add(file.toFile());
        }
        // In Spring Boot 4 this is in a module that the registries lack.
        Path sockets = directory.resolve("Tomcat.java");
        Files.writeString(
                sockets,
                "package demo; @org.springframework.context.annotation.Configuration"
                        + " @org.springframework.context.annotation.Import(dev.weir.spring.TomcatWebSockets.class)"
                        + " class Tomcat {}");
        files.add(sockets.toFile());
        Path classes = Files.createDirectory(directory.resolve("classes"));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter complaints = new StringWriter();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
            boolean compiled = compiler.getTask(
                            complaints,
                            manager,
                            null,
                            List.of(
                                    "-proc:none",
                                    "-parameters",
                                    "-d",
                                    classes.toString(),
                                    "-cp",
                                    System.getProperty("java.class.path")),
                            null,
                            manager.getJavaFileObjectsFromFiles(files))
                    .call();
            assertThat(compiled).as(complaints.toString()).isTrue();
        }
        return new URLClassLoader(
                new URL[] {classes.toUri().toURL()}, getClass().getClassLoader());
    }

    private static List<String> blocks(String language) throws Exception {
        return marked(language + " application");
    }

    private static String block(String mark) throws Exception {
        List<String> found = marked(mark);
        assertThat(found).as(mark).hasSize(1);
        return found.get(0);
    }

    private static List<String> marked(String mark) throws Exception {
        Matcher blocks = Pattern.compile("^```" + mark + "\\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE)
                .matcher(Files.readString(DOCUMENT));
        List<String> found = new ArrayList<>();
        while (blocks.find()) {
            found.add(blocks.group(1));
        }
        return found;
    }
}
