package dev.weir.benchmarks.cluster;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Three JVMs with a node each, on this machine. */
final class Nodes implements AutoCloseable {
    static final int SIZE = 3;
    private static final long START_SECONDS = 60;

    private final List<Process> processes = new ArrayList<>();
    private final List<BufferedReader> said = new ArrayList<>();
    private final Path directory;

    Nodes(String contestant) throws IOException, InterruptedException {
        this.directory = Files.createTempDirectory("weir-bench");
        String ports = freePorts().stream().map(String::valueOf).collect(Collectors.joining(","));
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
        awaitReady();
    }

    private static List<Integer> freePorts() throws IOException {
        List<ServerSocket> sockets = new ArrayList<>();
        for (int i = 0; i < SIZE; i++) {
            sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
        }
        List<Integer> ports = sockets.stream().map(ServerSocket::getLocalPort).toList();
        for (ServerSocket socket : sockets) {
            socket.close();
        }
        return ports;
    }

    private void awaitReady() throws IOException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        for (int node = 0; node < SIZE; node++) {
            while (!ask(node, "ready").equals("true")) {
                if (System.nanoTime() - end > 0) {
                    throw new IOException("node " + node + " was not ready within " + START_SECONDS + " s: "
                            + Files.readString(directory.resolve("node" + node + ".err")));
                }
                TimeUnit.MILLISECONDS.sleep(100);
            }
        }
    }

    String ask(int node, String line) throws IOException {
        processes.get(node).outputWriter().write(line + "\n");
        processes.get(node).outputWriter().flush();
        String answer;
        do {
            answer = said.get(node).readLine();
            if (answer == null) {
                throw new IOException(
                        "node " + node + " died: " + Files.readString(directory.resolve("node" + node + ".err")));
            }
        } while (!answer.startsWith("> "));
        return answer.substring(2);
    }

    int leader() throws IOException {
        for (int node = 0; node < SIZE; node++) {
            if (ask(node, "leads").equals("true")) {
                return node;
            }
        }
        throw new IOException("nobody leads");
    }

    @Override
    public void close() {
        processes.forEach(Process::destroyForcibly);
        try {
            for (Process process : processes) {
                process.waitFor();
            }
            try (Stream<Path> files = Files.walk(directory)) {
                for (Path file :
                        files.sorted(java.util.Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        } catch (IOException e) {
            // What is left is in the directory for temporary files.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
