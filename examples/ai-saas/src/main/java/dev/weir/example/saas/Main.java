package dev.weir.example.saas;

import java.util.Arrays;
import java.util.Iterator;

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
        if (Arrays.asList(args).contains("--help")) {
            System.out.print(USAGE);
            return;
        }
        try {
            run(Arrays.asList(args).iterator());
        } catch (IllegalArgumentException e) {
            System.err.println("ai-saas: " + e.getMessage());
            System.err.println("'ai-saas --help' lists what there is.");
            System.exit(2);
        } catch (RuntimeException e) {
            System.err.println("ai-saas: " + e.getMessage());
            System.exit(1);
        }
    }

    private static void run(Iterator<String> arguments) {
        String host = "127.0.0.1";
        int port = 8092;
        String store = "memory";
        while (arguments.hasNext()) {
            String option = arguments.next();
            switch (option) {
                case "--host" -> host = value(option, arguments);
                case "--port" -> port = port(value(option, arguments));
                case "--store" -> store = value(option, arguments);
                default -> throw new IllegalArgumentException("unknown argument '" + option + "'");
            }
        }
        SaasServer server = SaasServer.start(host, port, store);
        Runtime.getRuntime().addShutdownHook(new Thread(server::close, "goodbye"));
        System.out.println("ai-saas is listening on http://" + host + ":" + server.port());
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
