package dev.weir.cli;

import dev.weir.cli.terminal.Board;
import dev.weir.cli.terminal.Terminal;
import dev.weir.server.ConfigurationSource;
import dev.weir.server.Logs;
import dev.weir.server.ServerOptions;
import dev.weir.server.WeirServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command that runs the server with the agent-hub preset and synthetic agents that send requests to it. */
@Command(
        name = "demo",
        description = "Run a demo: the server and five synthetic agents, one of them abusive.",
        footer = {"", "Examples: weir demo", "          weir demo --port 9000 --seconds 60"},
        mixinStandardHelpOptions = true,
        defaultValueProvider = EnvironmentDefaults.class)
final class DemoCommand implements Callable<Integer> {
    private static final Duration REPORT = Duration.ofSeconds(5);
    private static final Duration REDRAW = Duration.ofMillis(500);

    private final String token = HexFormat.of().toHexDigits(new SecureRandom().nextLong());

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--port",
            description = "The port; a free one is chosen if it is taken (default: ${DEFAULT-VALUE}).",
            defaultValue = "8080")
    private int port;

    @Option(names = "--seconds", description = "Stop after this many seconds (default: never).", defaultValue = "0")
    private int seconds;

    @Override
    public Integer call() {
        if (seconds < 0 || seconds > 86_400) {
            throw new ParameterException(spec.commandLine(), "--seconds is " + seconds + "; it must be 0 to 86400");
        }
        if (port < 0 || port > 65_535) {
            throw new ParameterException(spec.commandLine(), "--port is " + port + "; it must be 0 to 65535");
        }
        Logs.use(Logs.Format.TEXT);
        ServerOptions options = ServerOptions.of(ConfigurationSource.preset("agent-hub"))
                .withAddress("127.0.0.1", isFree(port) ? port : 0)
                .withAdminToken(token)
                .withDrainDelay(Duration.ZERO);
        List<DemoAgent> agents = DemoAgent.all();
        ScheduledExecutorService clock = Executors.newScheduledThreadPool(2, task -> {
            Thread thread = new Thread(task, "weir-demo");
            thread.setDaemon(true);
            return thread;
        });
        try {
            return ServerRun.until(
                    options, spec.commandLine(), Duration.ofSeconds(seconds), server -> play(server, agents, clock));
        } finally {
            clock.shutdownNow();
        }
    }

    private void play(WeirServer server, List<DemoAgent> agents, ScheduledExecutorService clock) {
        PrintWriter out = spec.commandLine().getOut();
        out.println("Open this address for the dashboard. Its admin token is " + token + " until the demo ends.");
        out.println("The rate limit indicator for web pages: " + server.url() + "/client/demo.html");
        out.println("Agents may call 120 light, 60 normal or 10 heavy actions a minute. Stop with Ctrl-C. Try:");
        out.println("  curl " + StartCard.quoted(server.url() + "/v1/subjects?throttled=true"));
        out.println("  curl -N " + StartCard.quoted(server.url() + "/v1/events"));
        out.println();
        out.flush();
        agents.forEach(agent -> agent.live(server.url(), clock));
        Terminal terminal = Main.terminal(spec);
        Board board = new Board(out);
        Runnable report = terminal.isOutput()
                ? () -> board.draw(DemoBoard.lines(agents, terminal.style()))
                : () -> {
                    agents.forEach(agent -> out.println(agent.line()));
                    out.println();
                    out.flush();
                };
        ScheduledFuture<?> unused = clock.scheduleAtFixedRate(
                report, 1_000, (terminal.isOutput() ? REDRAW : REPORT).toMillis(), TimeUnit.MILLISECONDS);
    }

    private static boolean isFree(int port) {
        try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return probe.isBound();
        } catch (IOException | IllegalArgumentException e) {
            return false;
        }
    }
}
