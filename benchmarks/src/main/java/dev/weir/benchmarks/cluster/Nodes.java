package dev.weir.benchmarks.cluster;

import dev.weir.benchmarks.measure.MeasurementFailedException;
import dev.weir.fixture.Ports;
import dev.weir.fixture.ServerProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Three JVMs with a node each, on this machine. */
final class Nodes implements AutoCloseable {
    static final int SIZE = 3;
    /** The prefix of a node's results and failures. */
    static final String ANSWER = "> ";

    static final String FAILURE = "! ";
    private static final int MOST_ATTEMPTS = 3;
    private static final long START_SECONDS = 60;

    private final List<Process> processes = new ArrayList<>();
    private final List<BufferedReader> said = new ArrayList<>();
    private final String contestant;
    private final Path directory;

    /**
     * Returns three nodes that are ready. Retries with other ports, because another process may take one before its
     * node does.
     */
    static Nodes start(String contestant) throws IOException, InterruptedException {
        for (int attempt = 1; ; attempt++) {
            Nodes nodes = new Nodes(contestant);
            try {
                nodes.awaitReady();
                return nodes;
            } catch (IOException e) {
                nodes.close();
                if (attempt == MOST_ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    private Nodes(String contestant) throws IOException {
        this.contestant = contestant;
        this.directory = Files.createTempDirectory("weir-bench");
        String ports = Stream.generate(() -> "" + Ports.reserve()).limit(SIZE).collect(Collectors.joining(","));
        for (int node = 0; node < SIZE; node++) {
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xmx1g",
                            "-Djava.net.preferIPv4Stack=true",
                            "-cp",
                            System.getProperty("java.class.path"),
                            NodeMain.class.getName(),
                            contestant,
                            "" + node,
                            ports,
                            directory.toString())
                    .redirectError(directory.resolve("node" + node + ".err").toFile())
                    .start();
            processes.add(process);
            said.add(process.inputReader());
        }
    }

    private void awaitReady() throws IOException, InterruptedException {
        // A peer's node that hangs while it starts writes nothing. Killing it ends the read.
        CompletableFuture<Void> watchdog = CompletableFuture.runAsync(
                () -> processes.forEach(Process::destroyForcibly),
                CompletableFuture.delayedExecutor(START_SECONDS, TimeUnit.SECONDS));
        try {
            for (int node = 0; node < SIZE; node++) {
                while (!ask(node, "ready").equals("true")) {
                    TimeUnit.MILLISECONDS.sleep(100);
                }
            }
        } finally {
            boolean unused = watchdog.cancel(false);
        }
    }

    String ask(int node, String line) throws IOException {
        processes.get(node).outputWriter().write(line + "\n");
        processes.get(node).outputWriter().flush();
        String answer;
        do {
            answer = said.get(node).readLine();
            if (answer == null) {
                throw new IOException("node " + node + " died, or was not ready within " + START_SECONDS + " s: "
                        + Files.readString(directory.resolve("node" + node + ".err")));
            }
            if (answer.startsWith(FAILURE)) {
                throw new MeasurementFailedException(
                        contestant + ", node " + node + ", " + answer.substring(FAILURE.length()));
            }
        } while (!answer.startsWith(ANSWER));
        return answer.substring(ANSWER.length());
    }

    boolean leads(int node) throws IOException {
        return ask(node, "leads").equals("true");
    }

    /** Waits until there is a leader, and returns its index. */
    int leader() throws IOException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (System.nanoTime() - end < 0) {
            for (int node = 0; node < SIZE; node++) {
                if (leads(node)) {
                    return node;
                }
            }
            TimeUnit.MILLISECONDS.sleep(100);
        }
        throw new MeasurementFailedException(
                contestant + ": expected a leader, found none within " + START_SECONDS + " s");
    }

    @Override
    public void close() {
        processes.forEach(process -> process.destroyForcibly().onExit().join());
        ServerProcess.delete(directory);
    }
}
