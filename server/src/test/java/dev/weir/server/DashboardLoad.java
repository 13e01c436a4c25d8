package dev.weir.server;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.options.ColorScheme;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Measures what the dashboard costs: the CPU of the page and of the server with 10,000 subjects at 2,000 requests a
 * second, with the page open and closed in turns. It is not a test, asserts nothing, and runs only by name; see
 * CONTRIBUTING.
 */
class DashboardLoad {
    private static final int SUBJECTS = Integer.getInteger("weir.load.subjects", 10_000);
    private static final int PER_SECOND = Integer.getInteger("weir.load.rate", 2000);
    private static final int ROUNDS = Integer.getInteger("weir.load.rounds", 5);
    private static final Duration TURN = Duration.ofSeconds(Long.getLong("weir.load.seconds", 20));
    private static final int CONNECTIONS = 4;
    private static final int BATCHES_PER_SECOND = 20;

    /** A server in a process of its own. It stops when its input ends. */
    static final class Served {
        private Served() {}

        public static void main(String[] arguments) throws IOException {
            try (WeirServer server =
                    WeirServer.start(ServerOptions.of(ConfigurationSource.text("load.yaml", DashboardTest.YAML))
                            .withAddress("127.0.0.1", 0))) {
                System.out.println(server.port());
                System.in.read();
            }
        }
    }

    @Test
    void cost() throws Exception {
        Process process = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElse("java"),
                        "-Xmx1g",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Served.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        ScheduledExecutorService clock = Executors.newScheduledThreadPool(CONNECTIONS);
        try (BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            int port = Integer.parseInt(out.readLine());
            AtomicLong answers = load(port, clock);
            Thread.sleep(TURN.toMillis());
            List<String> lines = new ArrayList<>();
            for (int round = 1; round <= ROUNDS; round++) {
                Turn closed = turn(process, answers);
                Turn open;
                try (Chromium.Window window = Chromium.open(1440, 900, ColorScheme.LIGHT)) {
                    window.page.navigate("http://127.0.0.1:" + port + "/#/subjects");
                    assertThat(window.page.locator(".live")).hasText("Live");
                    window.page.waitForTimeout(5000);
                    open = turn(process, answers);
                }
                lines.add(String.format(
                        Locale.ROOT,
                        "| %d | %.0f | %.3f | %.3f | %.1f %% | %.3f |",
                        round,
                        open.answers,
                        closed.server,
                        open.server,
                        (open.server / closed.server - 1) * 100,
                        open.page));
            }
            String table = String.join(
                    "\n",
                    Stream.concat(
                                    Stream.of(
                                            "| round | answers/s | server closed, CPU-s/s | server open | more | page, CPU-s/s |",
                                            "|---|---|---|---|---|---|"),
                                    lines.stream())
                            .toList());
            System.getLogger("load").log(System.Logger.Level.INFO, "\n" + table);
        } finally {
            clock.shutdownNow();
            process.getOutputStream().close();
            process.waitFor(30, TimeUnit.SECONDS);
            process.destroyForcibly();
        }
    }

    /** What was used in each second of a turn. */
    private record Turn(double answers, double server, double page) {}

    private static Turn turn(Process process, AtomicLong answers) throws InterruptedException {
        long began = System.nanoTime();
        double server = cpu(Stream.of(process.toHandle()));
        double page = cpu(browsers());
        long before = answers.get();
        Thread.sleep(TURN.toMillis());
        double seconds = (System.nanoTime() - began) / 1e9;
        return new Turn(
                (answers.get() - before) / seconds,
                (cpu(Stream.of(process.toHandle())) - server) / seconds,
                (cpu(browsers()) - page) / seconds);
    }

    private static Stream<ProcessHandle> browsers() {
        return ProcessHandle.current()
                .descendants()
                .filter(handle -> handle.info().command().orElse("").contains("chrom"));
    }

    private static double cpu(Stream<ProcessHandle> processes) {
        return processes
                .mapToDouble(handle ->
                        handle.info().totalCpuDuration().orElse(Duration.ZERO).toMillis() / 1000.0)
                .sum();
    }

    /** Sends requests at a fixed rate, pipelined on a few connections; returns the number of answers. */
    private static AtomicLong load(int port, ScheduledExecutorService clock) throws IOException {
        AtomicLong answers = new AtomicLong();
        AtomicLong next = new AtomicLong();
        int batch = PER_SECOND / BATCHES_PER_SECOND / CONNECTIONS;
        for (int i = 0; i < CONNECTIONS; i++) {
            Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
            Thread reader = new Thread(() -> count(socket, answers), "answers");
            reader.setDaemon(true);
            reader.start();
            OutputStream out = socket.getOutputStream();
            ScheduledFuture<?> unused = clock.scheduleAtFixedRate(
                    () -> {
                        StringBuilder requests = new StringBuilder();
                        for (int n = 0; n < batch; n++) {
                            String body = "{\"attributes\":{\"agent\":\"agent-" + next.getAndIncrement() % SUBJECTS
                                    + "\",\"action\":\"message\"}}";
                            requests.append("POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Length: ")
                                    .append(body.length())
                                    .append("\r\n\r\n")
                                    .append(body);
                        }
                        try {
                            out.write(requests.toString().getBytes(StandardCharsets.US_ASCII));
                        } catch (IOException e) {
                            throw new IllegalStateException(e);
                        }
                    },
                    0,
                    1000 / BATCHES_PER_SECOND,
                    TimeUnit.MILLISECONDS);
        }
        return answers;
    }

    private static void count(Socket socket, AtomicLong answers) {
        try (BufferedReader in =
                new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                // The body has no line end, so the next status line follows it.
                if (line.contains("HTTP/1.1 200") || line.contains("HTTP/1.1 429")) {
                    answers.incrementAndGet();
                }
            }
        } catch (IOException e) {
            // The server was stopped.
        }
    }
}
