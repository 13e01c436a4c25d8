package dev.weir.example.chat;

import dev.weir.binding.websocket.Exceeding;
import dev.weir.engine.Weir;
import dev.weir.engine.WeirOptions;
import dev.weir.engine.config.ConfigurationReader;
import java.util.Arrays;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/** Starts the server. */
public final class Main {
    private static final String USAGE = """
            chat [--host HOST] [--port PORT] [--store URI]   runs until Ctrl-C

            --host   where to listen (127.0.0.1)
            --port   0 picks a free port (8092)
            --store  where limits are kept (memory); redis://… or durable-objects+https://… lets several servers share them
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
            System.err.println("chat: " + e.getMessage());
            System.err.println("'chat --help' lists what there is.");
            System.exit(2);
        } catch (RuntimeException e) {
            System.err.println("chat: " + e.getMessage());
            System.exit(1);
        }
    }

    private static void run(Iterator<String> arguments) {
        String host = "127.0.0.1";
        int port = 8092;
        @Nullable String store = null;
        while (arguments.hasNext()) {
            String option = arguments.next();
            switch (option) {
                case "--host" -> host = value(option, arguments);
                case "--port" -> port = port(value(option, arguments));
                case "--store" -> store = value(option, arguments);
                default -> throw new IllegalArgumentException("unknown argument '" + option + "'");
            }
        }
        Weir weir = Weir.open(
                new ConfigurationReader().preset("chat").orThrow(),
                WeirOptions.defaults().withStore(store));
        ChatServer server = ChatServer.start(
                host,
                port,
                weir,
                Exceeding.send(),
                exceeded -> System.out.println(
                        exceeded.type() + " limit: " + exceeded.observed() + " of " + exceeded.limit()));
        Runtime.getRuntime().addShutdownHook(new Thread(server::close, "goodbye"));
        System.out.println("chat is listening on ws://" + host + ":" + server.port() + "/chat");
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
