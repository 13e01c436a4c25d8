package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** The server as a process of its own: what it prints, how it ends. */
class ServeCommandTest {
    private static final String YAML = "version: 1\nlimits: [{ name: a, per: [user], rate: %s }]\n";

    @TempDir
    Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void serve_thenCheck_thenStop() throws Exception {
        Process server = start("serve", "--preset", "agent-hub", "--port", "0", "--admin-token", "secret-token");
        try (BufferedReader lines = lines(server)) {
            String line = lines.readLine();
            assertThat(line).startsWith("weir is listening on http://127.0.0.1:");
            String url = line.substring(line.indexOf("http"));

            for (int i = 0; i < 10; i++) {
                assertThat(run("check", "--server", url, "agent=a1", "action=task_submit"))
                        .isZero();
            }
            assertThat(out.toString()).startsWith("allowed\n  agent            9 of 10 left\n");
            assertThat(run("check", "--server", url, "agent=a1", "action=task_submit"))
                    .isEqualTo(3);
            assertThat(out.toString()).contains("denied: Rate limit 'agent' exceeded");
            out.getBuffer().setLength(0);
            assertThat(run("check", "--json", "--server", url, "agent=a2", "action=ping"))
                    .isZero();
            assertThat(out.toString()).startsWith("{\"allowed\":true");
            assertThat(run("check", "--server", url, "--cost", "0", "agent=a2")).isEqualTo(1);
            assertThat(err.toString()).contains("cost must be a whole number");

            server.toHandle().destroy();
            assertThat(server.waitFor(20, TimeUnit.SECONDS)).isTrue();
            assertThat(server.exitValue()).isZero();
            assertThat(lines.readLine()).isNull();
        } finally {
            server.destroyForcibly();
        }
    }

    @Test
    void serve_killedRightAfterAChange_hasNotLostIt() throws Exception {
        String[] args = {"serve", "--preset", "agent-hub", "--port", "0", "--admin-token", "secret-token"};
        Process server = start(args);
        try (BufferedReader lines = lines(server)) {
            HttpResponse<String> put =
                    admin(lines.readLine(), "PUT", "/a1", "{\"limits\":{\"agent\":{\"light\":\"7/min\"}}}");
            server.toHandle().destroyForcibly();
            assertThat(put.statusCode()).isEqualTo(200);
            assertThat(server.waitFor(10, TimeUnit.SECONDS)).isTrue();
        }
        Process again = start(args);
        try (BufferedReader lines = lines(again)) {
            assertThat(admin(lines.readLine(), "GET", "", "").body())
                    .contains("\"agent=a1\":{\"agent\":{\"light\":\"7/min\"}}");
        } finally {
            again.destroyForcibly();
        }
    }

    @Test
    void hangUp_readsTheConfigurationAgain() throws Exception {
        Path file = Files.writeString(directory.resolve("w.yaml"), YAML.formatted("5/min"));
        Process server = start("serve", "--config", file.toString(), "--port", "0", "--log-format", "json");
        try (BufferedReader lines = lines(server)) {
            String url = lines.readLine().replaceFirst("^.*http", "http");
            // Nothing has changed: only the signal can be what makes it read.
            signal(server, "HUP");
            await().until(() -> errors().contains("was read again and is in force"));
            Files.writeString(file, YAML.formatted("nonsense"));
            signal(server, "HUP");
            await().until(() -> errors().contains("has faults; the last good one stays"));
            assertThat(run("check", "--json", "--server", url, "user=u")).isZero();
            assertThat(out.toString()).contains("\"capacity\":5");
        } finally {
            server.destroyForcibly();
        }
    }

    @Test
    void jsonLogs_areOneObjectALine_andHoldNoSecret() throws Exception {
        Path file = Files.writeString(directory.resolve("w.yaml"), YAML.formatted("5/min"));
        Process server = start(
                "serve",
                "--config",
                file.toString(),
                "--port",
                "0",
                "--log-format",
                "json",
                "--admin-token",
                "secret-token");
        try (BufferedReader lines = lines(server)) {
            String line = lines.readLine();
            String url = line.replaceFirst("^.*http", "http");
            for (int i = 0; i < 8; i++) {
                run("check", "--server", url, "user=secret-key\nsecond line", "cookie=secret-key");
            }
            post(url, "/v1/check", "{\"attributes\":{\"secret-body\": [");
            post(url, "/v1/reservations/secret-key/settle", "{\"costs\":{\"secret-body\":1}}");
            admin(line, "PUT", "/user=secret-key", "{\"limits\":{\"a\":{\"default\":\"9/min\"}}}");
            admin(line, "PUT", "/user=secret-key", "{\"limits\":{\"secret-body\":{}}}");
            Files.writeString(file, YAML.formatted("nonsense"));
            signal(server, "HUP");
            await().until(() -> errors().contains("has faults"));
            server.toHandle().destroy();
            assertThat(server.waitFor(20, TimeUnit.SECONDS)).isTrue();
        } finally {
            server.destroyForcibly();
        }
        assertThat(errors().lines()).hasSizeGreaterThanOrEqualTo(2).allSatisfy(ServeCommandTest::assertIsAnEntry);
        assertThat(errors()).contains("weir is stopping").doesNotContain("secret");
    }

    private static void assertIsAnEntry(String line) throws IOException {
        Set<String> names = new HashSet<>();
        try (JsonParser json = new JsonFactory().createParser(line)) {
            assertThat(json.nextToken()).as(line).isEqualTo(JsonToken.START_OBJECT);
            for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
                names.add(name);
                assertThat(json.nextToken()).as(line).isEqualTo(JsonToken.VALUE_STRING);
            }
            assertThat(json.nextToken()).as(line).isNull();
        }
        assertThat(names).as(line).contains("time", "level", "logger", "message");
    }

    private String errors() throws IOException {
        return Files.readString(directory.resolve("err"));
    }

    private static void signal(Process process, String signal) throws Exception {
        Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).start();
        assertThat(kill.waitFor()).isZero();
    }

    private static void post(String url, String path, String body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url + path))
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        assertThat(HttpClient.newHttpClient()
                        .send(request, HttpResponse.BodyHandlers.ofString())
                        .statusCode())
                .isEqualTo(400);
    }

    private static HttpResponse<String> admin(String line, String method, String path, String body) throws Exception {
        URI uri = URI.create(line.substring(line.indexOf("http")) + "/api/admin/rate-limits" + path);
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(uri)
                                .method(method, HttpRequest.BodyPublishers.ofString(body))
                                .header("Authorization", "Bearer secret-token")
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void serve_thatCannot_hasAnExitCodeForTheReason() throws Exception {
        Path bad = Files.writeString(directory.resolve("bad.yaml"), "limits: [{ name: a, rate: fast }]\n");
        assertThat(exit("serve", "--config", bad.toString(), "--port", "0")).isEqualTo(1);
        assertThat(exit("serve", "--preset", "nothing", "--port", "0")).isEqualTo(1);
        try (ServerSocket taken = new ServerSocket(0)) {
            assertThat(exit("serve", "--host", "0.0.0.0", "--port", Integer.toString(taken.getLocalPort())))
                    .isEqualTo(3);
        }
        Path file = Files.writeString(directory.resolve("file"), "");
        assertThat(exit("serve", "--data", file.toString(), "--port", "0")).isEqualTo(2);
    }

    @Test
    void check_withoutAServer_saysSo() throws Exception {
        int free;
        try (ServerSocket probe = new ServerSocket(0)) {
            free = probe.getLocalPort();
        }
        assertThat(run("check", "--server", "http://127.0.0.1:" + free, "user=u"))
                .isEqualTo(1);
        assertThat(err.toString()).contains("./weir serve");
        assertThat(run("check", "user")).isEqualTo(2);
        assertThat(err.toString()).contains("'user' is no attribute; write key=value");
    }

    @Test
    void demo_showsAgentsAndEndsByItself() throws Exception {
        Process demo = start("demo", "--port", "0", "--seconds", "4");
        String printed = new String(demo.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(demo.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(printed).contains("weir is listening on http://127.0.0.1:", "abusive", "steady", "admitted");
    }

    @Test
    void options_comeFromTheEnvironment() {
        assertThat(EnvironmentDefaults.variable("--admin-token")).isEqualTo("WEIR_ADMIN_TOKEN");
        assertThat(EnvironmentDefaults.variable("--port")).isEqualTo("WEIR_PORT");
    }

    private int exit(String... args) throws Exception {
        Process process = start(args);
        process.getInputStream().readAllBytes();
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    /** Without a logging library that only a test's library brings, and that complains on standard error. */
    static String classPath() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry -> !entry.contains("slf4j"))
                .collect(Collectors.joining(File.pathSeparator));
    }

    private Process start(String... args) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                classPath(),
                Main.class.getName()));
        command.addAll(List.of(args));
        return new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectError(directory.resolve("err").toFile())
                .start();
    }

    private static BufferedReader lines(Process process) {
        return new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    private int run(String... args) {
        return Main.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .setColorScheme(CommandLine.Help.defaultColorScheme(Ansi.OFF))
                .execute(args);
    }
}
