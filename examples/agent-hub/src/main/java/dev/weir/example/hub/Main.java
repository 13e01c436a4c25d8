package dev.weir.example.hub;

import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Starts the hub, or a client to try it with. */
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
                System.exit(new Talk(System.in, System.out).with(arguments.get(1), arguments.get(2)));
            } else {
                run(arguments.iterator());
            }
        } catch (IllegalArgumentException e) {
            System.err.println("agent-hub: " + e.getMessage());
            System.err.println("'agent-hub --help' lists what there is.");
            System.exit(2);
        } catch (IllegalStateException | UncheckedIOException e) {
            System.err.println("agent-hub: " + e.getMessage());
            System.exit(1);
        }
    }

    private static void run(Iterator<String> arguments) {
        HubOptions options = HubOptions.defaults();
        Path config = null;
        while (arguments.hasNext()) {
            String option = arguments.next();
            switch (option) {
                case "--host" -> options = options.withHost(value(option, arguments));
                case "--port" -> options = options.withPort(port(value(option, arguments)));
                case "--config" -> config = Path.of(value(option, arguments));
                default -> throw new IllegalArgumentException("unknown argument '" + option + "'");
            }
        }
        String secret = System.getenv("HUB_DASHBOARD_SECRET");
        Hub hub = start(secret == null ? options : options.withDashboardSecret(secret), config);
        Runtime.getRuntime().addShutdownHook(new Thread(hub::close, "goodbye"));
        System.out.println("agent-hub is listening on " + hub.url());
    }

    private static Hub start(HubOptions options, @Nullable Path config) {
        Gate gate = Gate.open(config);
        return Hub.start(options, gate);
    }

    private static String value(String option, Iterator<String> arguments) {
        if (!arguments.hasNext()) {
            throw new IllegalArgumentException(option + " needs a value");
        }
        return arguments.next();
    }

    private static int port(String text) {
        if (text.matches("\\d{1,5}") && Integer.parseInt(text) <= 65_535) {
            return Integer.parseInt(text);
        }
        throw new IllegalArgumentException("--port is '" + text + "'; it must be 0 to 65535");
    }
}
