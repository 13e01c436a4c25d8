package dev.weir.example.saas;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Starts the service. */
public final class Main {
    private static final String USAGE = """
            ai-saas [--host HOST] [--port PORT] [--store URI]   runs until Ctrl-C

            --host   where to listen (127.0.0.1)
            --port   0 picks a free port (8092)
            --store  where counts are: memory, redis://localhost:6379 … (memory)
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
            System.err.println("ai-saas: " + e.getMessage());
            System.err.println("'ai-saas --help' lists the options.");
            System.exit(2);
        } catch (RuntimeException e) {
            System.err.println("ai-saas: " + e.getMessage());
            System.exit(1);
        }
    }

    private static Map<String, String> options(String[] args) {
        Map<String, String> options = new HashMap<>();
        for (int i = 0; i < args.length; i += 2) {
            if (!List.of("--host", "--port", "--store").contains(args[i])) {
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
        int port = port(options.getOrDefault("--port", "8092"));
        SaasServer server = SaasServer.start(host, port, options.getOrDefault("--store", "memory"));
        Runtime.getRuntime().addShutdownHook(new Thread(server::close, "goodbye"));
        System.out.println("ai-saas is listening on http://" + host + ":" + server.port());
    }

    private static int port(String text) {
        if (text.matches("\\d{1,5}") && Integer.parseInt(text) <= 65_535) {
            return Integer.parseInt(text);
        }
        throw new IllegalArgumentException("--port is '" + text + "'; it must be 0 to 65535");
    }
}
