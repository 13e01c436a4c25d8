package dev.weir.example.hub;

import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Starts the hub, or a console client for it. */
public final class Main {
    private static final String USAGE = """
            agent-hub [--host HOST] [--port PORT] [--config FILE]   runs the hub until Ctrl-C
            agent-hub talk URL TOKEN                               is an agent: sends lines, prints frames

            --host    where to listen (127.0.0.1)
            --port    0 picks a free port (8090)
            --config  limits of your own instead of the preset agent-hub; followed when it changes

            HUB_DASHBOARD_SECRET  lets the agent 'dashboard', which no limit counts, identify itself as dashboard.SECRET
            """;

    private Main() {}

    public static void main(String[] args) {
        List<String> arguments = Arrays.asList(args);
        try {
            if (arguments.contains("--help") || arguments.contains("-h")) {
                System.out.print(USAGE);
            } else if (arguments.size() == 3 && arguments.get(0).equals("talk")) {
                System.exit(new ConsoleAgent(System.in, System.out).with(arguments.get(1), arguments.get(2)));
            } else {
                run(options(arguments));
            }
        } catch (IllegalArgumentException e) {
            System.err.println("agent-hub: " + e.getMessage());
            System.err.println("'agent-hub --help' lists the options.");
            System.exit(2);
        } catch (IllegalStateException | UncheckedIOException e) {
            System.err.println("agent-hub: " + e.getMessage());
            System.exit(1);
        }
    }

    private static Map<String, String> options(List<String> args) {
        Map<String, String> options = new HashMap<>();
        for (int i = 0; i < args.size(); i += 2) {
            if (!List.of("--host", "--port", "--config").contains(args.get(i))) {
                throw new IllegalArgumentException("unknown argument '" + args.get(i) + "'");
            }
            if (i + 1 == args.size()) {
                throw new IllegalArgumentException(args.get(i) + " needs a value");
            }
            options.put(args.get(i), args.get(i + 1));
        }
        return options;
    }

    private static void run(Map<String, String> options) {
        HubOptions running = HubOptions.at(
                options.getOrDefault("--host", "127.0.0.1"),
                port(options.getOrDefault("--port", "8090")),
                System.getenv("HUB_DASHBOARD_SECRET"));
        String config = options.get("--config");
        Hub hub = Hub.start(running, HubLimits.open(config == null ? null : Path.of(config)));
        Runtime.getRuntime().addShutdownHook(new Thread(hub::close, "goodbye"));
        System.out.println("agent-hub is listening on " + hub.url());
    }

    private static int port(String text) {
        if (text.matches("\\d{1,5}") && Integer.parseInt(text) <= 65_535) {
            return Integer.parseInt(text);
        }
        throw new IllegalArgumentException("--port is '" + text + "'; it must be 0 to 65535");
    }
}
