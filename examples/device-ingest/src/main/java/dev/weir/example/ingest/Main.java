package dev.weir.example.ingest;

import dev.weir.engine.WeirOptions;
import dev.weir.engine.config.ConfigurationReader;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Iterator;

/** Starts the server. */
public final class Main {
    private static final String USAGE = """
            device-ingest [--host HOST] [--port PORT] [--data DIR] [--store URI]   runs until Ctrl-C

            --host  where to listen (127.0.0.1)
            --port  0 picks a free port (8091)
            --data  where its files are (.)
            --store where quotas and responses are, jdbc:sqlite:FILE or jdbc:postgresql://… (a file in DIR)

            BMTC_RATE_LIMIT_ENABLED   true switches the limit on (false)
            BMTC_RATE_LIMIT_PER_HOUR  how many rides a device may post in an hour (500)
            """;

    private Main() {}

    public static void main(String[] args) {
        if (Arrays.asList(args).contains("--help")) {
            System.out.print(USAGE);
            return;
        }
        try {
            run(Arrays.asList(args).iterator());
        } catch (IllegalArgumentException e) {
            System.err.println("device-ingest: " + e.getMessage());
            System.err.println("'device-ingest --help' lists what there is.");
            System.exit(2);
        } catch (RuntimeException e) {
            System.err.println("device-ingest: " + e.getMessage());
            System.exit(1);
        }
    }

    private static void run(Iterator<String> arguments) {
        String host = "127.0.0.1";
        int port = 8091;
        Path data = Path.of(".");
        String store = null;
        while (arguments.hasNext()) {
            String option = arguments.next();
            switch (option) {
                case "--host" -> host = value(option, arguments);
                case "--port" -> port = port(value(option, arguments));
                case "--data" -> data = Path.of(value(option, arguments));
                case "--store" -> store = value(option, arguments);
                default -> throw new IllegalArgumentException("unknown argument '" + option + "'");
            }
        }
        IngestServer server = IngestServer.start(
                host,
                port,
                data,
                store == null ? "jdbc:sqlite:" + data.resolve("limits.db") : store,
                new ConfigurationReader().preset("device-ingest").orThrow(),
                WeirOptions.defaults());
        Runtime.getRuntime().addShutdownHook(new Thread(server::close, "goodbye"));
        System.out.println("device-ingest is listening on http://" + host + ":" + server.port());
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
