package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.weir.fixture.Ports;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** The server in its own process: its output and its exit. */
@Tag("io")
class ServeCommandTest {
    private static final String YAML = "version: 1\nlimits: [{ name: a, per: [user], rate: %s }]\n";

    @TempDir
    Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void serve_thenCheck_thenStop() throws Exception {
        Path token = Files.writeString(directory.resolve("token"), "secret-token\n");
        Process server = start(
                "serve",
                "--preset",
                "agent-hub",
                "--port",
                "0",
                "--grpc-port",
                "0",
                "--admin-token-file",
                token.toString());
        try (BufferedReader lines = lines(server)) {
            String line = lines.readLine();
            assertThat(line).startsWith("weir is listening on http://127.0.0.1:");
            String url = line.substring(line.indexOf("http"));
            assertThat(lines.readLine()).startsWith("weir serves Envoy's rate limit service on 127.0.0.1:");

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
            for (int i = 0; i < 2; i++) {
                assertThat(get(url, "/metrics")).contains("weir_checks_total{limit=\"agent\"");
            }

            server.toHandle().destroy();
            assertThat(server.waitFor(90, TimeUnit.SECONDS)).isTrue();
            assertThat(server.exitValue()).isZero();
            assertThat(lines.readLine()).isNull();
            assertThat(errors()).contains("weir is stopping").doesNotContain("WARN");
        } finally {
            server.destroyForcibly();
        }
    }

    @Test
    void serve_thatCannotClose_endsAllTheSame() throws Exception {
        for (String store : List.of(FailingCloseStore.FAILS, FailingCloseStore.HANGS)) {
            Process server = start("serve", "--preset", "chat", "--port", "0", "--store", store);
            try (BufferedReader lines = lines(server)) {
                assertThat(lines.readLine()).startsWith("weir is listening");
                server.toHandle().destroy();
                assertThat(server.waitFor(90, TimeUnit.SECONDS)).as(store).isTrue();
                assertThat(server.exitValue()).as(store).isEqualTo(1);
            } finally {
                server.destroyForcibly();
            }
            assertThat(errors()).contains(store.equals(FailingCloseStore.FAILS) ? "LinkageError: of a test" : "halted");
        }
    }

    /** A socket, somebody who follows the events, and a request whose end never comes. */
    @Test
    void serve_stoppedWithConnectionsOpen_tellsThemAndEndsInTime() throws Exception {
        Process server = start("serve", "--preset", "chat", "--port", "0", "--store", "memory");
        try (BufferedReader lines = lines(server)) {
            URI url = URI.create(lines.readLine().replaceFirst("^.*http", "http"));
            BlockingQueue<Integer> closed = new LinkedBlockingQueue<>();
            HttpClient.newHttpClient()
                    .newWebSocketBuilder()
                    .buildAsync(URI.create("ws://127.0.0.1:" + url.getPort() + "/v1/ws"), new WebSocket.Listener() {
                        @Override
                        public CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
                            closed.add(code);
                            return null;
                        }
                    })
                    .join();
            try (Socket follower = new Socket("127.0.0.1", url.getPort());
                    Socket endless = new Socket("127.0.0.1", url.getPort())) {
                follower.getOutputStream()
                        .write("GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n"
                                .getBytes(StandardCharsets.US_ASCII));
                assertThat(follower.getInputStream().read()).isEqualTo('H');
                endless.getOutputStream()
                        .write("POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{"
                                .getBytes(StandardCharsets.US_ASCII));
                server.toHandle().destroy();

                assertThat(closed.poll(90, TimeUnit.SECONDS)).isEqualTo(1001);
                assertThat(server.waitFor(90, TimeUnit.SECONDS)).isTrue();
                assertThat(server.exitValue()).isZero();
            }
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
            assertThat(server.waitFor(90, TimeUnit.SECONDS)).isTrue();
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
            assertThat(server.waitFor(90, TimeUnit.SECONDS)).isTrue();
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

    private static String get(String url, String path) throws Exception {
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(URI.create(url + path)).build(), HttpResponse.BodyHandlers.ofString())
                .body();
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
        assertThat(errors()).startsWith(bad + ":1:");
        assertThat(exit("serve", "--preset", "nothing", "--port", "0")).isEqualTo(1);
        assertThat(errors()).startsWith("weir: there is no preset 'nothing'");
        assertThat(exit("serve", "--store", "bogus:x", "--port", "0")).isEqualTo(1);
        assertThat(errors()).startsWith("weir: ");
        try (ServerSocket taken = new ServerSocket(0)) {
            assertThat(exit("serve", "--host", "0.0.0.0", "--port", Integer.toString(taken.getLocalPort())))
                    .isEqualTo(3);
        }
        Path file = Files.writeString(directory.resolve("file"), "");
        assertThat(exit("serve", "--data", file.toString(), "--port", "0")).isEqualTo(2);
    }

    @Test
    void serve_onARedisThatCannotBeReached_saysSoWithoutThePassword() throws Exception {
        int free = Ports.reserve();
        String store = "redis://u:hunter2@127.0.0.1:" + free;
        assertThat(exit("serve", "--preset", "ai-saas", "--port", "0", "--store", store))
                .isEqualTo(2);
        String said = Files.readString(directory.resolve("err"));
        assertThat(said).contains("127.0.0.1:" + free).contains("refused").doesNotContain("hunter2");
    }

    @Test
    void check_withoutAServer_saysSo() throws Exception {
        int free = Ports.reserve();
        assertThat(run("check", "--server", "http://127.0.0.1:" + free, "user=u"))
                .isEqualTo(1);
        assertThat(err.toString()).contains("weir serve starts one");
        assertThat(run("check", "user")).isEqualTo(64);
        assertThat(err.toString()).contains("'user' is not an attribute; write key=value");
    }

    @Test
    void demo_showsAgentsAndEndsByItself() throws Exception {
        Process demo = start("demo", "--port", "0", "--seconds", "4");
        String printed = new String(demo.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(demo.waitFor(90, TimeUnit.SECONDS)).isTrue();
        assertThat(printed).contains("weir is listening on http://127.0.0.1:", "abusive", "steady", "allowed");
    }

    @Test
    void options_comeFromTheEnvironment() {
        assertThat(EnvironmentDefaults.variable("--admin-token")).isEqualTo("WEIR_ADMIN_TOKEN");
        assertThat(EnvironmentDefaults.variable("--port")).isEqualTo("WEIR_PORT");
    }

    @Test
    void everyOption_comesFromTheEnvironment_andCountsForLessThere() throws Exception {
        Path pems = Path.of("..", "server", "src", "test", "resources", "dev", "weir", "server")
                .toAbsolutePath();
        Path file = Files.writeString(directory.resolve("w.yaml"), YAML.formatted("5/min"));
        Path tokens = Files.writeString(directory.resolve("tokens.yaml"), "[]\n");
        Path token = Files.writeString(directory.resolve("token"), "secret-token\n");
        Map<String, String> environment = Map.ofEntries(
                Map.entry("WEIR_CONFIG", file.toString()),
                Map.entry("WEIR_STORE", "memory"),
                Map.entry("WEIR_HOST", "127.0.0.1"),
                Map.entry("WEIR_PORT", "0"),
                Map.entry("WEIR_GRPC_PORT", "0"),
                Map.entry("WEIR_GRPC_TLS_CERT", pems.resolve("test-cert.pem").toString()),
                Map.entry("WEIR_GRPC_TLS_KEY", pems.resolve("test-key.pem").toString()),
                Map.entry("WEIR_GRPC_CLIENT_CA", pems.resolve("test-cert.pem").toString()),
                Map.entry("WEIR_GRPC_MAX_CONNECTION_AGE", "1h30m"),
                Map.entry("WEIR_GRPC_MAX_CONNECTION_AGE_GRACE", "10m"),
                Map.entry("WEIR_ENVOY_CONFIG", envoyFiles().toString()),
                Map.entry("WEIR_ENVOY_COMPAT", "strict"),
                Map.entry("WEIR_ADMIN_TOKEN", "secret-token"),
                Map.entry("WEIR_ADMIN_TOKEN_FILE", token.toString()),
                Map.entry("WEIR_TOKENS", tokens.toString()),
                Map.entry("WEIR_REQUIRE_TOKEN", "true"),
                Map.entry("WEIR_CORS_ORIGIN", "https://a.example,https://b.example"),
                Map.entry("WEIR_ALLOWED_HOST", "weir.example,other.example"),
                Map.entry("WEIR_DATA", directory.resolve("kept").toString()),
                Map.entry("WEIR_NAME", "orders"),
                Map.entry("WEIR_MAX_CONNECTIONS", "100"),
                Map.entry("WEIR_MAX_CONNECTIONS_PER_ADDRESS", "50"),
                Map.entry("WEIR_LOG_FORMAT", "json"),
                Map.entry("WEIR_TLS_CERT", pems.resolve("test-cert.pem").toString()),
                Map.entry("WEIR_TLS_KEY", pems.resolve("test-key.pem").toString()));
        assertThat(Main.commandLine().getSubcommands().get("serve").getCommandSpec().options().stream()
                        .filter(option -> !option.usageHelp() && !option.versionHelp())
                        .map(option -> EnvironmentDefaults.variable(option.longestName())))
                .allMatch(name -> environment.containsKey(name) || name.equals("WEIR_PRESET"));
        Process server = start(environment, "serve");
        try (BufferedReader lines = lines(server)) {
            assertThat(lines.readLine()).startsWith("weir is listening on https://127.0.0.1:");
            assertThat(lines.readLine()).matches("weir serves Envoy's rate limit service on 127\\.0\\.0\\.1:\\d+");
            assertThat(directory.resolve("kept")).exists();
            server.toHandle().destroy();
            assertThat(server.waitFor(90, TimeUnit.SECONDS)).isTrue();
            assertThat(errors().lines()).allMatch(line -> line.startsWith("{"));
        } finally {
            server.destroyForcibly();
        }
        Process typed = start(Map.of("WEIR_PORT", "0", "WEIR_PRESET", "nothing"), "serve", "--config", file.toString());
        try (BufferedReader lines = lines(typed)) {
            assertThat(lines.readLine()).startsWith("weir is listening on http://");
        } finally {
            typed.destroyForcibly();
        }
    }

    @Test
    void variablesOfEnvoysOwnService_countIfItsFilesAreServed() throws Exception {
        Path root = envoyFiles().getParent();
        Process server = start(
                Map.of("RUNTIME_ROOT", root.toString(), "PORT", "0", "GRPC_PORT", "0", "LOG_LEVEL", "error"), "serve");
        try (BufferedReader lines = lines(server)) {
            assertThat(lines.readLine())
                    .startsWith("weir is listening on http://127.0.0.1:")
                    .doesNotEndWith(":8080");
            assertThat(lines.readLine())
                    .startsWith("weir serves Envoy's rate limit service on 127.0.0.1:")
                    .doesNotEndWith(":8081");
            server.toHandle().destroy();
            assertThat(server.waitFor(90, TimeUnit.SECONDS)).isTrue();
            assertThat(errors()).isEmpty();
        } finally {
            server.destroyForcibly();
        }
        Process plain = start(Map.of("WEIR_PORT", "0", "PORT", "tcp://10.0.0.1:80", "LOG_LEVEL", "loud"), "serve");
        try (BufferedReader lines = lines(plain)) {
            assertThat(lines.readLine()).startsWith("weir is listening on http://");
        } finally {
            plain.destroyForcibly();
        }
    }

    /** A directory with a file of Envoy's own service. */
    private Path envoyFiles() throws Exception {
        Path files = Files.createDirectories(directory.resolve("runtime/config"));
        Files.writeString(files.resolve("edge.yaml"), """
                domain: edge
                descriptors:
                  - key: path
                    rate_limit: { unit: minute, requests_per_unit: 3 }
                """);
        return files;
    }

    @Test
    void requiredToken_isAskedOfTheData_andCheckSendsIt() throws Exception {
        String sha256 = HexFormat.of()
                .formatHex(MessageDigest.getInstance("SHA-256").digest("a-token".getBytes(StandardCharsets.UTF_8)));
        Path tokens = Files.writeString(
                directory.resolve("tokens.yaml"), "- { name: shop, role: decide, sha256: " + sha256 + " }\n");
        Map<String, String> environment = Map.of(
                "WEIR_TOKENS", tokens.toString(),
                "WEIR_REQUIRE_TOKEN", "true",
                "WEIR_CORS_ORIGIN", "https://a.example,https://b.example");
        Process server =
                start(environment, "serve", "--preset", "agent-hub", "--port", "0", "--admin-token", "secret-token");
        try (BufferedReader lines = lines(server)) {
            String url = lines.readLine().replaceFirst("^.*http", "http");
            assertThat(run("check", "--server", url, "agent=a1")).isEqualTo(1);
            assertThat(err.toString()).contains("the server answered 401: send a valid token");
            assertThat(run("check", "--server", url, "--token", "a-token", "agent=a1"))
                    .isZero();
            for (String origin : List.of("https://a.example", "https://b.example")) {
                HttpRequest page = HttpRequest.newBuilder(URI.create(url + "/v1/peek"))
                        .header("Origin", origin)
                        .header("Authorization", "Bearer a-token")
                        .POST(HttpRequest.BodyPublishers.ofString("{\"attributes\":{}}"))
                        .build();
                assertThat(HttpClient.newHttpClient()
                                .send(page, HttpResponse.BodyHandlers.ofString())
                                .statusCode())
                        .as(origin)
                        .isEqualTo(200);
            }
            await().untilAsserted(() -> assertThat(errors())
                    .contains("--admin-token shows in the list of processes; better --admin-token-file FILE"));
        } finally {
            server.destroyForcibly();
        }
    }

    @Test
    void adminTokenFile_thatIsNone_saysSo() throws Exception {
        assertThat(run(
                        "serve",
                        "--admin-token-file",
                        directory.resolve("nothing").toString()))
                .isEqualTo(1);
        assertThat(err.toString()).contains("--admin-token-file", "cannot be read");
        Path token = Files.writeString(directory.resolve("short"), "short\n");
        assertThat(run("serve", "--admin-token-file", token.toString())).isEqualTo(1);
        assertThat(err.toString()).contains("the admin token has 5 characters; it must have at least 8");
        assertThat(run("serve", "--admin-token", "secret-token", "--admin-token-file", token.toString()))
                .isEqualTo(64);
        assertThat(err.toString()).contains("exclude each other");
        assertThat(run("serve", "--cors-origin", "*")).isEqualTo(1);
        assertThat(err.toString()).contains("--cors-origin is '*'; it must be a scheme and a host");
    }

    @Test
    void connectionCaps_mustBePositive() {
        assertThat(run("serve", "--max-connections-per-address", "0")).isEqualTo(1);
        assertThat(err.toString()).contains("max-connections-per-address is 0; it must be at least 1");
        assertThat(run("serve", "--max-connections", "0")).isEqualTo(1);
        assertThat(err.toString()).contains("max-connections is 0; it must be at least 1");
    }

    @Test
    void tls_needsBothFiles() {
        assertThat(run("serve", "--tls-key", "k.pem")).isEqualTo(64);
        assertThat(err.toString()).contains("--tls-key needs --tls-cert");
        assertThat(run("serve", "--tls-cert", "c.pem")).isEqualTo(64);
        assertThat(err.toString()).contains("--tls-cert needs --tls-key");
    }

    @Test
    void check_atNoAddress_saysWhatIsOne() {
        for (String server : List.of("127.0.0.1:8080", "localhost:8080", "ftp://x", "http:///x")) {
            assertThat(run("check", "--server", server, "user=u")).as(server).isEqualTo(64);
        }
        assertThat(err.toString()).contains("--server is 'ftp://x'; it must be an address such as http://");
    }

    private int exit(String... args) throws Exception {
        Process process = start(args);
        process.getInputStream().readAllBytes();
        assertThat(process.waitFor(90, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    /** Without a logging library that only a test's library brings, and that complains on standard error. */
    static String classPath() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry -> !entry.contains("slf4j"))
                .collect(Collectors.joining(File.pathSeparator));
    }

    private Process start(String... args) throws Exception {
        return start(Map.of(), args);
    }

    private Process start(Map<String, String> environment, String... args) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                classPath(),
                Main.class.getName()));
        command.addAll(List.of(args));
        ProcessBuilder process = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectError(directory.resolve("err").toFile());
        process.environment().putAll(environment);
        return process.start();
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
