package dev.weir.cli;

import dev.weir.DurationText;
import dev.weir.server.ServerOptions;
import dev.weir.server.StartException;
import dev.weir.server.WeirServer;
import java.io.PrintWriter;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import picocli.CommandLine;

/** Runs a server in the foreground, from the line that has its URL until it is stopped. */
final class ServerRun {
    private static final Logger LOG = System.getLogger(ServerRun.class.getName());

    private static final Pattern PLACE = Pattern.compile("^\\S+:\\d+:\\d+: ");
    /** How long stopping may take; then the process is halted. */
    private static final Duration LONGEST_END = Duration.ofSeconds(19);

    private ServerRun() {}

    /**
     * Runs until Ctrl-C or SIGTERM, then drains.
     *
     * @param atMost how long to run; zero for no bound
     * @param whenReady called once the server listens, after its URL was printed
     * @return the exit code
     */
    static int until(ServerOptions options, CommandLine command, Duration atMost, Consumer<WeirServer> whenReady) {
        PrintWriter out = command.getOut();
        CountDownLatch stop = new CountDownLatch(1);
        Runnable ended = () -> {};
        WeirServer server;
        try {
            server = WeirServer.start(options);
        } catch (StartException e) {
            // An error in a file begins with its location, which editors recognize at the start of a line.
            String message = String.valueOf(e.getMessage());
            command.getErr().println(PLACE.matcher(message).find() ? message : "weir: " + message);
            command.getErr().flush();
            return e.why().exitCode();
        }
        try (server) {
            Signals.on("INT", stop::countDown);
            Signals.on("TERM", stop::countDown);
            Signals.on("HUP", server::reload);
            out.println("weir is listening on " + server.url());
            out.flush();
            whenReady.accept(server);
            long seconds = atMost.isZero() ? Long.MAX_VALUE : atMost.toSeconds();
            boolean told = stop.await(seconds, TimeUnit.SECONDS);
            LOG.log(Level.INFO, told ? "weir is stopping" : "weir is stopping because --seconds have passed");
            ended = endWithin(LONGEST_END);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            ended.run();
        }
        return CommandLine.ExitCode.OK;
    }

    /** Starts a timer that halts the process, unless the returned action runs before. */
    private static Runnable endWithin(Duration time) {
        CountDownLatch ended = new CountDownLatch(1);
        Thread watch = new Thread(
                () -> {
                    try {
                        if (!ended.await(time.toMillis(), TimeUnit.MILLISECONDS)) {
                            LOG.log(
                                    Level.ERROR,
                                    "weir did not stop within " + DurationText.of(time) + " and is halted");
                            Runtime.getRuntime().halt(CommandLine.ExitCode.SOFTWARE);
                        }
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                "weir-end");
        watch.setDaemon(true);
        watch.start();
        return ended::countDown;
    }
}
