package dev.weir.example.ingest;

import dev.weir.engine.WeirOptions;
import dev.weir.engine.config.ConfigurationReader;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

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
        if (List.of(args).contains("--help")) {
            System.out.print(USAGE);
            return;
        }
        try {
            run(options(args));
        } catch (IllegalArgumentException e) {
            System.err.println("device-ingest: " + e.getMessage());
            System.err.println("'device-ingest --help' lists the options.");
            System.exit(2);
        } catch (RuntimeException e) {
            System.err.println("device-ingest: " + e.getMessage());
            System.exit(1);
        }
    }

    private static Map<String, String> options(String[] args) {
        Map<String, String> options = new HashMap<>();
        for (int i = 0; i < args.length; i += 2) {
            if (!List.of("--host", "--port", "--data", "--store").contains(args[i])) {
                throw new IllegalArgumentException("unknown argument '" + args[i] + "'");
            }
            if (i + 1 == args.length) {
                throw new IllegalArgumentException(args[i] + " needs a value");
            }
            options.put(args[i], args[i + 1]);
        }
        return options;
    }

    private static void run(Map<String, String> options) {
        String host = options.getOrDefault("--host", "127.0.0.1");
        int port = port(options.getOrDefault("--port", "8091"));
        Path data = Path.of(options.getOrDefault("--data", "."));
        IngestServer server = IngestServer.start(
                host,
                port,
                data,
                options.getOrDefault("--store", "jdbc:sqlite:" + data.resolve("limits.db")),
                new ConfigurationReader().preset("device-ingest").orThrow(),
                WeirOptions.defaults());
        Runtime.getRuntime().addShutdownHook(new Thread(server::close, "goodbye"));
        System.out.println("device-ingest is listening on http://" + host + ":" + server.port());
    }

    private static int port(String text) {
        if (text.matches("\\d{1,5}") && Integer.parseInt(text) <= 65_535) {
            return Integer.parseInt(text);
        }
        throw new IllegalArgumentException("--port is '" + text + "'; it must be 0 to 65535");
    }
}
