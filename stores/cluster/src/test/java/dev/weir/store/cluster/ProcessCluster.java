package dev.weir.store.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.fixture.Ports;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/** Nodes in processes of their own, which a test stops, kills and cuts off from each other. */
final class ProcessCluster implements AutoCloseable {
    private final int size;
    private final Path data;
    private final Network network;
    private final String options;
    private static final String NAME = "nodes.weir.test";

    private final List<String> members;
    private final Node[] nodes;
    private final List<Path> acks = new ArrayList<>();
    private final long[] skewMillis;
    private List<String> jvmOptions = List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");
    /** What the nodes believe of names; null if they are told addresses. */
    private @Nullable Path hosts;

    /** Of all loads that were stopped. */
    private long failedCalls;

    private long longestMillis;

    /** One process. */
    private static final class Node {
        final Process process;
        final BlockingQueue<String> said = new ArrayBlockingQueue<>(100);

        Node(Process process) {
            this.process = process;
            Thread reader = new Thread(() -> {
                try (BufferedReader out = process.inputReader()) {
                    for (String line = out.readLine(); line != null; line = out.readLine()) {
                        if (line.startsWith("> ")) {
                            said.add(line.substring(2));
                        }
                    }
                } catch (IOException e) {
                    // It was killed.
                }
            });
            reader.setDaemon(true);
            reader.start();
        }
    }

    ProcessCluster(int size, Path data, Network network, String options) {
        this(size, data, network, options, new long[size]);
    }

    /** Nodes that know of each other only the name behind which all of them are, as of a headless service. */
    static ProcessCluster behindOneName(int size, Path data) {
        ProcessCluster cluster = new ProcessCluster(size, data, Network.loopback(), "");
        int port = port(cluster.network);
        cluster.hosts = data.resolve("hosts");
        for (int i = 0; i < size; i++) {
            cluster.members.set(i, "127.0.0." + (11 + i) + ":" + port);
        }
        cluster.writeHosts();
        return cluster;
    }

    /** The next time it starts it is elsewhere, and the name says so. */
    void move(int node) {
        String[] address = members.get(node).split("[.:]");
        members.set(node, "127.0.0." + (Integer.parseInt(address[3]) + 100) + ":" + address[4]);
        writeHosts();
    }

    private void writeHosts() {
        try {
            Files.write(
                    Objects.requireNonNull(hosts),
                    members.stream()
                            .map(member -> member.substring(0, member.indexOf(':')) + " " + NAME)
                            .toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String uri(int node) {
        String bind = members.get(node);
        String others = hosts == null
                ? "&members=" + String.join(",", members)
                : "&dns=" + NAME + bind.substring(bind.indexOf(':')) + "&nodes=" + size + "&node=" + node;
        // Beyond loopback nodes need certificates.
        String tls = network.isApart() ? Certificates.options("node") : "";
        return "cluster://faults?bind=" + bind + others + tls + options;
    }

    ProcessCluster(int size, Path data, Network network, String options, long[] skewMillis) {
        this.size = size;
        this.data = data;
        this.network = network;
        this.options = options;
        this.skewMillis = skewMillis;
        this.nodes = new Node[size];
        this.members = IntStream.range(0, size)
                .mapToObj(i -> network.address(i) + ":" + port(network))
                .collect(Collectors.toCollection(ArrayList::new));
    }

    /** Each namespace has all ports for itself. */
    private static int port(Network network) {
        return network.isApart() ? 7800 : Ports.reserve();
    }

    ProcessCluster withJvmOptions(String... newOptions) {
        jvmOptions = List.of(newOptions);
        return this;
    }

    ProcessCluster startAll() {
        for (int i = 0; i < size; i++) {
            start(i);
        }
        awaitReady();
        return this;
    }

    void start(int node) {
        Path acksOfThis = data.resolve("acks-" + acks.size());
        acks.add(acksOfThis);
        List<String> command = new ArrayList<>(network.prefix(node));
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                NodeMain.class.getName(),
                uri(node),
                data.resolve("node" + node).toString(),
                acksOfThis.toString(),
                Long.toString(skewMillis[node])));
        command.addAll(command.indexOf("-cp"), jvmOptions);
        if (hosts != null) {
            command.addAll(
                    command.indexOf("-cp"), List.of("-Djdk.net.hosts.file=" + hosts, "-Dsun.net.inetaddr.ttl=1"));
        }
        try {
            nodes[node] = new Node(new ProcessBuilder(command)
                    .redirectError(data.resolve("node" + node + ".err").toFile())
                    .start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        assertThat(hear(node)).isEqualTo("up");
    }

    String tell(int node, String line) {
        send(node, line);
        return hear(node);
    }

    void send(int node, String line) {
        try {
            nodes[node].process.outputWriter().write(line + "\n");
            nodes[node].process.outputWriter().flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String hear(int node) {
        try {
            String said = nodes[node].said.poll(90, TimeUnit.SECONDS);
            if (said == null) {
                throw new AssertionError("node " + node + " says nothing: " + errors(node));
            }
            return said;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private String errors(int node) {
        try {
            return Files.readString(data.resolve("node" + node + ".err"));
        } catch (IOException e) {
            return "";
        }
    }

    /** The state and the end of the log of every node. */
    String describe() {
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < size; i++) {
            all.append("\nnode ").append(i).append(": ").append(isUp(i) ? tell(i, "status") : "down");
            if (isUp(i)) {
                all.append("\nthreads of node ").append(i).append(": ").append(threads(i));
            }
            String errors = errors(i);
            all.append('\n').append(errors.substring(Math.max(0, errors.length() - 8_000)));
        }
        return all.toString();
    }

    /** Writes a thread dump of a node; returns its file, which stays after the test. */
    private Path threads(int node) {
        Path file = Path.of("target", "threads-node" + node + "-" + System.currentTimeMillis() + ".txt");
        long pid = nodes[node].process.pid();
        try {
            int unused = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "jcmd")
                                    .toString(),
                            Long.toString(pid),
                            "Thread.print",
                            "-l")
                    .redirectErrorStream(true)
                    .redirectOutput(file.toFile())
                    .start()
                    .waitFor();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return file.toAbsolutePath();
    }

    boolean isUp(int node) {
        return nodes[node] != null && nodes[node].process.isAlive();
    }

    boolean isReady(int node) {
        return tell(node, "status").contains("ready=true");
    }

    int leader() {
        int[] leader = {-1};
        await().until(() -> {
            for (int i = 0; i < size; i++) {
                if (isUp(i) && tell(i, "status").contains("leads=true")) {
                    leader[0] = i;
                    return true;
                }
            }
            return false;
        });
        return leader[0];
    }

    void awaitReady() {
        try {
            await().pollInterval(Duration.ofMillis(50))
                    .until(() -> IntStream.range(0, size).allMatch(i -> !isUp(i) || isReady(i)));
        } catch (ConditionTimeoutException e) {
            throw new AssertionError("not ready: " + describe(), e);
        }
    }

    /** kill -9. */
    void kill(int node) {
        signal(node, "KILL");
        awaitEnd(node);
    }

    /** Asks it to stop, as an operator does. */
    void stop(int node) {
        signal(node, "TERM");
        awaitEnd(node);
    }

    private void awaitEnd(int node) {
        try {
            assertThat(nodes[node].process.waitFor(90, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    void signal(int node, String signal) {
        run("kill", "-" + signal, Long.toString(nodes[node].process.pid()));
    }

    static void run(String... command) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String said = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IllegalStateException(String.join(" ", command) + ": " + said);
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(String.join(" ", command), e);
        }
    }

    boolean hasSnapshot(int node) {
        try (Stream<Path> snapshots = Files.list(data.resolve("node" + node).resolve("snapshots"))) {
            return snapshots.anyMatch(file -> file.getFileName().toString().startsWith("snapshot_"));
        } catch (IOException e) {
            return false;
        }
    }

    /** From now on every write that makes a file longer fails, as on a disk with errors. */
    void failWrites(int node) {
        run("prlimit", "--pid", Long.toString(nodes[node].process.pid()), "--fsize=0");
    }

    /** What a crash of its machine leaves of a node that does not sync: another boot, and the log without its end. */
    void crashMachine(int node) {
        kill(node);
        Path directory = data.resolve("node" + node);
        try (Stream<Path> files = Files.list(directory.resolve("log"))) {
            List<String> lines = new ArrayList<>(Files.readAllLines(directory.resolve("member")));
            lines.set(2, "another-boot");
            Files.write(directory.resolve("member"), lines);
            for (Path file : files.toList()) {
                Files.write(file, new byte[0]);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        run("rm", "-rf", directory.resolve("meta").toString());
    }

    Path directory(int node) {
        return data.resolve("node" + node);
    }

    void emptyDirectory(int node) {
        run("rm", "-rf", data.resolve("node" + node).toString());
    }

    void loadAll(int threads) {
        for (int i = 0; i < size; i++) {
            if (isUp(i)) {
                tell(i, "load " + threads);
            }
        }
    }

    /** Ends the load; answers what each node said of it. */
    List<String> stopLoad() {
        List<String> said = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            said.add(isUp(i) ? tell(i, "stop") : "failures=0 longest=0");
            String[] words = said.get(i).split("[ =]");
            failedCalls += Long.parseLong(words[1]);
            longestMillis = Math.max(longestMillis, Long.parseLong(words[3]));
        }
        return said;
    }

    /**
     * What was acknowledged to all processes there ever were is in the state of every node.
     *
     * @return a line for people
     */
    String checkNothingLost() {
        long[] acknowledged = new long[NodeMain.KEYS];
        try {
            for (Path file : acks) {
                if (Files.exists(file) && Files.size(file) > 0) {
                    long[] counts = NodeMain.acknowledged(file);
                    Arrays.setAll(acknowledged, i -> acknowledged[i] + counts[i]);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        long lost = 0;
        long extra = 0;
        String first = null;
        for (int node = 0; node < size; node++) {
            if (!isUp(node)) {
                continue;
            }
            String used = tell(node, "used");
            assertThat(used).doesNotStartWith("error");
            assertThat(first == null ? used : first)
                    .as("all nodes answer the same")
                    .isEqualTo(used);
            first = used;
        }
        long[] counted = Arrays.stream(String.valueOf(first).split(","))
                .mapToLong(Long::parseLong)
                .toArray();
        for (int i = 0; i < counted.length; i++) {
            lost += Math.max(0, acknowledged[i] - counted[i]);
            extra += Math.max(0, counted[i] - acknowledged[i]);
        }
        long sum = Arrays.stream(acknowledged).sum();
        String line = sum + " acknowledged, " + lost + " lost, " + extra + " extra, " + failedCalls
                + " calls failed, longest wait " + longestMillis + " ms";
        assertThat(lost).as(line).isZero();
        assertThat(sum).as(line).isPositive();
        return line;
    }

    long acknowledged() {
        return acks.stream()
                .mapToLong(file -> {
                    try {
                        return Files.exists(file) && Files.size(file) > 0
                                ? Arrays.stream(NodeMain.acknowledged(file)).sum()
                                : 0;
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                })
                .sum();
    }

    String members() {
        return members.stream().collect(Collectors.joining(","));
    }

    @Override
    public void close() {
        for (Node node : nodes) {
            if (node != null) {
                node.process.destroyForcibly();
            }
        }
        network.close();
    }
}
