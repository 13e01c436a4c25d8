package com.example;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.weir.engine.Outcome;
import dev.weir.engine.Weir;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** A server on the JDK alone; its argument is the store. */
public class Hello {
    public static void main(String[] args) throws IOException {
        Path configuration = Files.createTempFile("weir", ".yaml");
        Files.writeString(
                configuration,
                """
                store: "%s"
                limits:
                  - { name: callers, per: [caller], rate: 3/hour }
                """
                        .formatted(args[0]));
        Weir weir = Weir.load(configuration);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> answer(weir, exchange));
        server.start();
        System.out.println("started on port " + server.getAddress().getPort());
    }

    private static void answer(Weir weir, HttpExchange exchange) throws IOException {
        Outcome outcome = weir.check(Map.of("caller", exchange.getRequestHeaders().getFirst("X-Api-Key")));
        if (!outcome.allowed()) {
            exchange.getResponseHeaders()
                    .add("Retry-After", Long.toString(outcome.retryAfter().toSeconds() + 1));
        }
        exchange.sendResponseHeaders(outcome.allowed() ? 200 : 429, -1);
        exchange.close();
    }
}
