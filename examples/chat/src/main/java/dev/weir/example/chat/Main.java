package dev.weir.example.chat;

import dev.weir.binding.websocket.Exceeding;
import dev.weir.engine.Weir;
import dev.weir.engine.WeirOptions;
import dev.weir.engine.config.ConfigurationReader;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

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
        if (List.of(args).contains("--help")) {
            System.out.print(USAGE);
            return;
        }
        try {
            run(options(args));
        } catch (IllegalArgumentException e) {
            System.err.println("chat: " + e.getMessage());
            System.err.println("'chat --help' lists the options.");
            System.exit(2);
        } catch (RuntimeException e) {
            System.err.println("chat: " + e.getMessage());
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
        Weir weir = Weir.open(
                new ConfigurationReader().preset("chat").orThrow(),
                WeirOptions.defaults().withStore(options.get("--store")));
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

    private static int port(String text) {
        if (text.matches("\\d{1,5}") && Integer.parseInt(text) <= 65_535) {
            return Integer.parseInt(text);
        }
        throw new IllegalArgumentException("--port is '" + text + "'; it must be 0 to 65535");
    }
}
