package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.fixture.Ports;
import dev.weir.fixture.TestTimeouts;
import dev.weir.server.ConfigurationSource;
import dev.weir.server.ServerOptions;
import dev.weir.server.WeirServer;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** The commands of the guide to the cluster, as it has them but for the ports; members that come and go. */
@Tag("io")
class ClusterGuideTest {
    private static final Pattern BLOCK = Pattern.compile("^```sh\\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);
    private static final String TOKEN = "a-token-of-this-test";

    @TempDir
    Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private static List<String> blocks() throws IOException {
        List<String> blocks = new ArrayList<>();
        Matcher matcher = BLOCK.matcher(Files.readString(JavaExample.ROOT.resolve("docs/cluster.md")));
        while (matcher.find()) {
            blocks.add(matcher.group(1));
        }
        return blocks;
    }

    @Test
    void threeCommands_startACluster_whoseMembersChangeAtRunTime() throws Exception {
        List<String> commands = new ArrayList<>(blocks().get(0).lines().toList());
        assertThat(commands).hasSize(3).allMatch(line -> line.startsWith("./weir serve --preset"));
        int[] ports = new int[4];
        for (int i = 0; i < 4; i++) {
            ports[i] = Ports.reserve();
        }
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            names.add("127.0.0.1:" + ports[i]);
        }
        // The fourth is started like the first, with one more in its list.
        commands.add(commands.get(0)
                .replace("bind=127.0.0.1:7801", "bind=127.0.0.1:7804")
                .replace("7803'", "7803,127.0.0.1:7804'"));
        List<Process> processes = new ArrayList<>();
        try {
            List<String> servers = new ArrayList<>();
            for (String command : commands.subList(0, 3)) {
                servers.add(serve(command, ports, processes));
            }
            awaitStatus(servers.get(0), "leader", "follower", "follower");
            assertThat(out.toString())
                    .contains("cluster api, term ", "LAST SNAPSHOT")
                    .contains(names.subList(0, 3));

            String fourth = serve(commands.get(3), ports, processes);
            assertThat(cluster(servers.get(1), "add", names.get(3)))
                    .as(err.toString())
                    .isZero();
            awaitStatus(fourth, "leader", "follower", "follower", "follower");
            assertThat(cluster(servers.get(0), "transfer", names.get(3)))
                    .as(err.toString())
                    .isZero();
            await().until(() -> isLeader(servers.get(2), names.get(3)));
            assertThat(cluster(servers.get(2), "transfer", names.get(0)))
                    .as(err.toString())
                    .isZero();
            await().until(() -> isLeader(servers.get(2), names.get(0)));
            assertThat(cluster(servers.get(2), "remove", names.get(3)))
                    .as(err.toString())
                    .isZero();
            awaitStatus(servers.get(2), "leader", "follower", "follower");

            assertThat(cluster(servers.get(0), "remove", names.get(3))).isEqualTo(1);
            assertThat(err.toString()).contains("weir: the cluster did not do it: " + names.get(3) + " is no member");
            assertThat(cluster(servers.get(0), "remove", "no name")).isEqualTo(1);
            assertThat(err.toString()).contains("weir: a member's name is HOST:PORT");
            assertThat(run("cluster", "remove", names.get(1), "--server", servers.get(0)))
                    .isEqualTo(1);
            assertThat(err.toString()).contains("token");
            processes.get(1).destroyForcibly();
            await().until(() -> {
                status(servers.get(0));
                return out.toString().contains("no answer");
            });
            assertThat(cluster(servers.get(0), "remove", names.get(2))).isEqualTo(1);
            assertThat(err.toString()).contains("the cluster would stop; start the others first");
        } finally {
            processes.forEach(Process::destroyForcibly);
        }
    }

    /** Starts a server as the guide does, on free ports; returns its address. */
    private String serve(String command, int[] ports, List<Process> processes) throws IOException {
        String own = command.replaceAll("--port 808\\d", "--port 0");
        for (int i = 0; i < ports.length; i++) {
            own = own.replace("127.0.0.1:780" + (i + 1), "127.0.0.1:" + ports[i]);
        }
        Path launcher = directory.resolve("weir");
        if (!Files.exists(launcher)) {
            Files.writeString(
                    launcher,
                    "#!/bin/sh\nexec '" + Path.of(System.getProperty("java.home"), "bin", "java")
                            + "' -XX:TieredStopAtLevel=1 -cp '" + System.getProperty("java.class.path") + "' "
                            + Main.class.getName() + " \"$@\"\n");
            assertThat(launcher.toFile().setExecutable(true)).isTrue();
        }
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", "exec " + own)
                .directory(directory.toFile())
                .redirectError(new File(directory.toFile(), "err" + processes.size()));
        builder.environment().put("WEIR_ADMIN_TOKEN", TOKEN);
        Process process = builder.start();
        processes.add(process);
        BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
        String line = lines.readLine();
        assertThat(line)
                .as(Files.readString(directory.resolve("err" + (processes.size() - 1))))
                .startsWith("weir is listening on http://");
        return line.substring(line.indexOf("http"));
    }

    private void awaitStatus(String server, String... states) {
        await().atMost(TestTimeouts.LONG).untilAsserted(() -> {
            assertThat(status(server)).as(err.toString()).isZero();
            assertThat(out.toString()
                            .lines()
                            .skip(2)
                            .map(line -> line.split(" +")[1])
                            .sorted(java.util.Comparator.reverseOrder()))
                    .as(out.toString())
                    .containsExactlyInAnyOrder(states);
        });
    }

    private boolean isLeader(String server, String member) {
        return status(server) == 0 && out.toString().contains(", leader " + member + "\n");
    }

    private int status(String server) {
        return run("cluster", "status", "--server", server);
    }

    private int cluster(String server, String command, String member) {
        return run("cluster", command, "--server", server, "--token", TOKEN, member);
    }

    private int run(String... args) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        return Main.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .setColorScheme(CommandLine.Help.defaultColorScheme(Ansi.OFF))
                .execute(args);
    }

    @ParameterizedTest
    @CsvSource({
        "1, openssl, tls-cert=node1.pem&tls-key=node1.key&tls-ca=ca.pem",
        "2, keytool, tls-cert=node1.p12&tls-password=changeit&tls-ca=ca.pem"
    })
    void certificates_madeAsInTheGuide_startACluster(int block, String tool, String options) throws Exception {
        String commands = blocks().get(block);
        assertThat(commands).startsWith(tool);
        Process made = new ProcessBuilder("sh", "-ec", commands)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .start();
        String said = new String(made.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(made.waitFor(90, TimeUnit.SECONDS)).isTrue();
        assertThat(made.exitValue()).as(said).isZero();

        Matcher store = Pattern.compile("--store \"([^\"]*)\"").matcher(blocks().get(3));
        assertThat(store.find()).isTrue();
        String uri = store.group(1).replace("tls-cert=node1.pem&tls-key=node1.key&tls-ca=ca.pem", options);
        assertThat(uri).contains(options);
        int[] ports = {Ports.reserve(), Ports.reserve(), Ports.reserve()};
        List<WeirServer> servers = new ArrayList<>();
        try {
            for (int i = 1; i <= 3; i++) {
                String own = uri.replace("bind=10.0.0.1", "bind=10.0.0." + i)
                        .replaceAll("=(node)1?(\\.|$)", "=" + directory + "/node" + i + "$2")
                        .replace("=ca.pem", "=" + directory + "/ca.pem");
                for (int j = 0; j < 3; j++) {
                    own = own.replace("10.0.0." + (j + 1) + ":7800", "127.0.0.1:" + ports[j]);
                }
                servers.add(WeirServer.start(ServerOptions.of(ConfigurationSource.preset("credential-api"))
                        .withStore(own)
                        .withAddress("127.0.0.1", 0)
                        .withData(directory)
                        .withDrainDelay(Duration.ZERO)));
            }
            awaitStatus(servers.get(0).url(), "leader", "follower", "follower");
        } finally {
            servers.forEach(WeirServer::close);
        }
    }
}
