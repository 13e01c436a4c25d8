package dev.weir.cli;

import dev.weir.RateLimiter;
import dev.weir.Reading;
import dev.weir.TokenBucket;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A demonstration in the terminal, until there is a server to show: four agents of different tempers share one rule. */
@Command(
        name = "demo",
        description = "See Weir at work: four agents, one limit each, live in the terminal.",
        mixinStandardHelpOptions = true)
final class DemoCommand implements Runnable {
    private static final int CAPACITY = 20;
    private static final Duration FRAME = Duration.ofMillis(100);

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--seconds", description = "How long it runs (default: ${DEFAULT-VALUE}).", defaultValue = "12")
    private int seconds;

    /** How often an agent calls: every {@code everyFrames}-th frame, {@code calls} times. */
    private static final class Agent {
        final String name;
        final int everyFrames;
        final int calls;
        long admitted;
        long refused;

        Agent(String name, int everyFrames, int calls) {
            this.name = name;
            this.everyFrames = everyFrames;
            this.calls = calls;
        }

        void act(RateLimiter limiter, long frame) {
            for (int i = 0; frame % everyFrames == 0 && i < calls; i++) {
                if (limiter.tryConsume(name)) {
                    admitted++;
                } else {
                    refused++;
                }
            }
        }
    }

    @Override
    public void run() {
        if (seconds < 1 || seconds > 3600) {
            throw new ParameterException(spec.commandLine(), "--seconds is " + seconds + "; it must be 1 to 3600");
        }
        List<Agent> agents = List.of(
                new Agent("patient", 10, 1),
                new Agent("steady", 2, 1),
                new Agent("bursty", 40, 30),
                new Agent("abusive", 1, 8));
        boolean live = Ansi.AUTO.enabled();
        PrintWriter out = spec.commandLine().getOut();
        out.println("Each agent may call " + CAPACITY + " times at once, and 5 times a second after that.");
        out.println("token bucket, memory store, in this process; the server with its dashboard comes later.");
        out.println();
        try (RateLimiter limiter = RateLimiter.of(TokenBucket.of(CAPACITY, 5, Duration.ofSeconds(1)))) {
            play(agents, limiter, live, out);
        }
        out.println();
        for (Agent agent : agents) {
            out.printf(
                    "%-8s asked %,d times: %,d admitted, %,d refused%n",
                    agent.name, agent.admitted + agent.refused, agent.admitted, agent.refused);
        }
        out.flush();
    }

    private void play(List<Agent> agents, RateLimiter limiter, boolean live, PrintWriter out) {
        long frames = Duration.ofSeconds(seconds).dividedBy(FRAME);
        long start = System.nanoTime();
        for (long frame = 0; frame < frames; frame++) {
            for (Agent agent : agents) {
                agent.act(limiter, frame);
            }
            boolean first = frame == 0;
            if (live || first || frame % 20 == 0) {
                draw(agents, limiter, live && !first, out);
            }
            try {
                TimeUnit.NANOSECONDS.sleep(start + (frame + 1) * FRAME.toNanos() - System.nanoTime());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private static void draw(List<Agent> agents, RateLimiter limiter, boolean redraw, PrintWriter out) {
        if (redraw) {
            out.print("\u001b[" + agents.size() + "A");
        }
        for (Agent agent : agents) {
            Reading reading = limiter.peek(agent.name);
            int filled = (int) reading.remaining();
            String state = reading instanceof Reading.Refused refused
                    ? String.format("wait %3d ms", refused.retryAfter().toMillis() + 1)
                    : String.format("%2d left    ", reading.remaining());
            out.printf(
                    "%-8s [%s%s] %s  admitted %,6d  refused %,6d%n",
                    agent.name,
                    "#".repeat(filled),
                    ".".repeat(CAPACITY - filled),
                    state,
                    agent.admitted,
                    agent.refused);
        }
        out.flush();
    }
}
