package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import dev.weir.cli.terminal.Terminal;
import dev.weir.server.ConfigurationSource;
import dev.weir.server.ServerOptions;
import dev.weir.server.WeirServer;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** The commands that operate a server, against a real one. */
@Tag("io")
class OperateCommandsTest {
    private static final String TOKEN = "a-long-secret";

    @TempDir
    static Path directory;

    private static WeirServer server;
    private static Path tokenFile;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @BeforeAll
    static void start() throws Exception {
        Path config = Files.writeString(directory.resolve("weir.yaml"), """
                classify:
                  - { set: tier, from: action, values: { heavy: [submit] }, default: light }
                limits:
                  - { name: agent, per: [agent, tier], by: tier, rate: { heavy: 2/h, default: 1000/h } }
                  - { name: uploads, match: { path: /upload }, per: [agent], rate: 5/min }
                penalty: { per: [agent] }
                exempt: { agent: [dashboard] }
                """);
        server = WeirServer.start(ServerOptions.of(ConfigurationSource.file(config))
                .withAddress("127.0.0.1", 0)
                .withAdminToken(TOKEN)
                .withData(directory.resolve("data")));
        tokenFile = Files.writeString(directory.resolve("token"), TOKEN + "\n");
        Files.setPosixFilePermissions(tokenFile, PosixFilePermissions.fromString("rw-------"));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void peek_spendsNothing_andExplainSaysWhy() {
        for (int i = 0; i < 5; i++) {
            assertThat(run("check", "--peek", "agent=p1", "action=submit"))
                    .as("%s", err)
                    .isZero();
        }
        assertThat(out.toString()).startsWith("allowed (nothing was spent)\n  agent            2 of 2 left\n");
        out.getBuffer().setLength(0);

        assertThat(run("check", "--peek", "--explain", "agent=p1", "action=submit"))
                .isZero();
        assertThat(out.toString())
                .contains("attributes: ", "tier=heavy", "agent    yes      per agent, tier, row heavy, 2 of 2 left")
                .contains("uploads  no ");
        out.getBuffer().setLength(0);
        assertThat(run("explain", "--json", "agent=p1")).isZero();
        assertThat(out.toString()).contains("\"matched\":[", "\"skipped\":[");
    }

    @Test
    void noLimitThatApplies_isExplained() {
        assertThat(run("check", "user=u1")).isZero();
        assertThat(out.toString()).contains("no limit applies: none of 2 limits matched; --explain says why");
        out.getBuffer().setLength(0);
        assertThat(run("check", "agent=dashboard")).isZero();
        assertThat(out.toString()).contains("no limit applies: agent=dashboard is exempt");
    }

    @Test
    void attributes_thatAreEmptyOrGivenTwice_areRefused() {
        assertThat(run("check", "agent=")).isEqualTo(64);
        assertThat(err.toString()).contains("attribute 'agent' is empty; give it a value, or leave it out");
        assertThat(run("check", "agent=a", "agent=b")).isEqualTo(64);
        assertThat(err.toString()).contains("attribute 'agent' is given twice; give it once");
    }

    @Test
    void refusedSubject_isSeenByWhoAndTop_andResetHelps() {
        for (int i = 0; i < 5; i++) {
            run("check", "agent=r1", "action=submit");
        }
        assertThat(run("check", "agent=r1", "action=submit")).isEqualTo(3);
        await().untilAsserted(() -> {
            out.getBuffer().setLength(0);
            assertThat(run("who", "agent=r1")).as("%s", err).isZero();
            assertThat(out.toString())
                    .contains("agent=r1: ", " denied in the last hour", " by agent, limited", "tier=heavy agent=r1");
        });
        await().untilAsserted(() -> {
            out.getBuffer().setLength(0);
            assertThat(run("top", "--once", "--sort", "name")).isZero();
            assertThat(out.toString()).contains("SUBJECT ▾", "agent=r1", "agent limited ");
        });
        out.getBuffer().setLength(0);
        assertThat(run("top", "--json")).isZero();
        assertThat(out.toString()).startsWith("{\"overview\":{");
        out.getBuffer().setLength(0);
        assertThat(admin("reset", "agent=r1")).as("%s", err).isZero();
        assertThat(out.toString()).startsWith("reset ").contains(" of agent=r1");
        assertThat(run("check", "agent=r1", "action=submit")).isZero();
    }

    @Test
    void set_givesASubjectItsOwnRate_forATime_andAuditNamesTheReason() {
        assertThat(admin("set", "agent=s1", "agent.heavy=50/min", "--for", "1h", "--reason", "incident 7"))
                .as("%s", err)
                .isZero();
        assertThat(out.toString()).startsWith("agent=s1 has agent.heavy=50/min until 20");
        out.getBuffer().setLength(0);
        assertThat(run("check", "--peek", "agent=s1", "action=submit")).isZero();
        assertThat(out.toString()).contains("50 of 50 left");
        out.getBuffer().setLength(0);
        assertThat(admin("audit")).isZero();
        assertThat(out.toString())
                .contains("WHEN", "agent=s1", "incident 7")
                .containsPattern("(?m)^20\\d\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ  admin@");
        assertThat(admin("set", "agent=s1", "--remove")).isZero();
        out.getBuffer().setLength(0);
        run("check", "--peek", "agent=s1", "action=submit");
        assertThat(out.toString()).contains("2 of 2 left");
        assertThat(admin("set", "agent=s1", "agnt.heavy=50/min")).isEqualTo(1);
        assertThat(err.toString()).contains("the server answered 400: ");
        assertThat(admin("set", "agent=s1")).isEqualTo(64);
    }

    @Test
    void exempt_holdsForATime_andCanBeEnded() {
        assertThat(admin("exempt", "agent=e1", "--for", "1h")).as("%s", err).isZero();
        assertThat(out.toString()).isEqualTo("agent=e1 is exempt for 1h\n");
        out.getBuffer().setLength(0);
        run("check", "agent=e1");
        assertThat(out.toString()).contains("agent=e1 is exempt");
        assertThat(admin("exempt", "agent=e1", "--remove")).isZero();
        out.getBuffer().setLength(0);
        run("check", "agent=e1");
        assertThat(out.toString()).contains("agent  ");
    }

    @Test
    void tail_showsDecisionsThatFit() {
        CompletableFuture<Integer> tail = CompletableFuture.supplyAsync(() -> run("tail", "agent=t1", "--count", "2"));
        await().until(() -> {
            Main.commandLine()
                    .setOut(new PrintWriter(new StringWriter()))
                    .execute("check", "--server", server.url(), "agent=t1");
            Main.commandLine()
                    .setOut(new PrintWriter(new StringWriter()))
                    .execute("check", "--server", server.url(), "agent=t2");
            return tail.isDone();
        });
        assertThat(tail.join()).isZero();
        assertThat(out.toString().lines())
                .hasSize(2)
                .allSatisfy(line -> assertThat(line).contains("allowed", "agent=t1"));
    }

    @Test
    void token_isNeeded_andItsFileMustBeTheOwners() throws Exception {
        assertThat(run("audit")).isEqualTo(1);
        assertThat(err.toString()).contains("the server answered 401", "--token-file FILE");
        Path open = Files.writeString(directory.resolve("open"), TOKEN);
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(run("audit", "--token-file", open.toString())).isEqualTo(64);
        assertThat(err.toString()).contains("may be read by others than its owner; run chmod 600");

        Path client = Files.writeString(
                directory.resolve("client"), "# mine\nserver = " + server.url() + "\ntoken = " + TOKEN + "\n");
        Files.setPosixFilePermissions(client, PosixFilePermissions.fromString("rw-------"));
        assertThat(execute("audit", "--client-file", client.toString()))
                .as("%s", err)
                .isZero();
    }

    @Test
    void tokenFile_thatIsTyped_takesPrecedenceOverTheEnvironment() {
        Map<String, String> environment = Map.of("WEIR_TOKEN", "of-another-server");
        assertThat(execute(environment, "audit", "--server", server.url())).isEqualTo(1);
        assertThat(execute(environment, "audit", "--server", server.url(), "--token-file", tokenFile.toString()))
                .as("%s", err)
                .isZero();
        assertThat(run("audit", "--token", TOKEN, "--token-file", tokenFile.toString()))
                .isEqualTo(64);
        assertThat(err.toString()).contains("--token and --token-file exclude each other; give one");
    }

    @Test
    void filesOfTheOwner_thatSayNothing_areRefusedWithoutTheirContent() throws Exception {
        Path empty = Files.writeString(directory.resolve("empty"), "\n");
        Files.setPosixFilePermissions(empty, PosixFilePermissions.fromString("rw-------"));
        assertThat(run("audit", "--token-file", empty.toString())).isEqualTo(64);
        assertThat(err.toString()).contains("empty is empty; its first line must be the token");
        Path client = Files.writeString(directory.resolve("misspelled"), "# mine\n\ntokn = " + TOKEN + "\n");
        Files.setPosixFilePermissions(client, PosixFilePermissions.fromString("rw-------"));
        assertThat(run("audit", "--client-file", client.toString())).isEqualTo(64);
        assertThat(err.toString())
                .contains("misspelled:3: the line is neither server=URL nor token=TOKEN")
                .doesNotContain(TOKEN);
    }

    @Test
    void numbersOutOfRange_areInvalidUsage() {
        assertThat(admin("audit", "--limit", "0")).isEqualTo(64);
        assertThat(err.toString()).contains("--limit is 0; it must be 1 to 1000");
        assertThat(run("tail", "--count", "-1")).isEqualTo(64);
        assertThat(err.toString()).contains("--count is -1; it must be 1 or more, or 0 for no end");
        assertThat(execute("demo", "--port", "70000")).isEqualTo(64);
        assertThat(err.toString()).contains("--port is 70000; it must be 0 to 65535");
    }

    /** The server records no reason for a removal, so none may seem to be recorded. */
    @Test
    void removal_takesNoReason() {
        assertThat(admin("set", "agent=n1", "--remove", "--reason", "over")).isEqualTo(64);
        assertThat(admin("exempt", "agent=n1", "--remove", "--for", "1h")).isEqualTo(64);
        assertThat(err.toString()).contains("--remove takes neither --for nor --reason");
    }

    @Test
    void serverBehindAPath_isCalledThere_andAMissingExplanationIsNotInvented() throws Exception {
        HttpServer other = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        other.createContext("/limits/v1/check", exchange -> {
            byte[] body = "{\"allowed\":true,\"limits\":[]}".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        other.start();
        try {
            String url = "http://127.0.0.1:" + other.getAddress().getPort() + "/limits/";
            assertThat(execute("check", "--server", url, "agent=a1"))
                    .as("%s", err)
                    .isZero();
            assertThat(out.toString()).isEqualTo("allowed\n  no limit applies\n");
        } finally {
            other.stop(0);
        }
    }

    /** Java takes the home directory from the list of users, shells and other programs from HOME. */
    @Test
    void clientFile_isFoundInTheHomeOfTheEnvironment() throws Exception {
        for (String variable : List.of("HOME", "XDG_CONFIG_HOME")) {
            Path home = Files.createDirectories(directory.resolve(variable));
            Path file = home.resolve(variable.equals("HOME") ? ".config/weir/client" : "weir/client");
            Files.createDirectories(file.getParent());
            Files.writeString(file, "server = " + server.url() + "\ntoken = " + TOKEN + "\n");
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
            ProcessBuilder builder = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            ServeCommandTest.classPath(),
                            Main.class.getName(),
                            "audit")
                    .redirectErrorStream(true);
            builder.environment().remove("XDG_CONFIG_HOME");
            builder.environment().put(variable, home.toString());
            Process process = builder.start();
            String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as(text).isZero();
        }
    }

    /** Otherwise --server would send it to any server. */
    @Test
    void tokenOfTheClientFile_isForItsServerOnly() throws Exception {
        Path client = Files.writeString(
                directory.resolve("elsewhere"), "server = https://weir.example\ntoken = " + TOKEN + "\n");
        Files.setPosixFilePermissions(client, PosixFilePermissions.fromString("rw-------"));
        assertThat(run("audit", "--client-file", client.toString())).isEqualTo(1);
        assertThat(err.toString()).contains("the server answered 401");
        Files.writeString(client, "token = " + TOKEN + "\n");
        assertThat(run("audit", "--client-file", client.toString())).isZero();
    }

    private int admin(String... args) {
        List<String> all = new ArrayList<>(Arrays.asList(args));
        all.addAll(List.of("--token-file", tokenFile.toString()));
        return run(all.toArray(String[]::new));
    }

    private int run(String... args) {
        List<String> all = new ArrayList<>(Arrays.asList(args));
        all.addAll(List.of("--server", server.url()));
        return execute(all.toArray(String[]::new));
    }

    private int execute(String... args) {
        return commandLine().execute(args);
    }

    /** Executes with these variables as the whole environment. */
    private int execute(Map<String, String> environment, String... args) {
        CommandLine weir = commandLine();
        weir.getSubcommands().get(args[0]).setDefaultValueProvider(new EnvironmentDefaults(environment::get));
        return weir.execute(args);
    }

    private CommandLine commandLine() {
        return Main.commandLine(Terminal.NONE)
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .setColorScheme(CommandLine.Help.defaultColorScheme(Ansi.OFF));
    }
}
