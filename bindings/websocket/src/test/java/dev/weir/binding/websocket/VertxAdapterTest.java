package dev.weir.binding.websocket;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import java.util.Map;
import org.junit.jupiter.api.Tag;

/** The adapter for Vert.x. */
@Tag("io")
class VertxAdapterTest extends AdapterSuite {
    private Vertx vertx;

    @Override
    int start() {
        vertx = Vertx.vertx();
        VertxWebSockets sockets = new VertxWebSockets(vertx, pipeline, connections, request -> {
            String user = request.getHeader("X-User");
            return user == null ? Map.of() : Map.of("user", user);
        });
        HttpServer server = vertx.createHttpServer().requestHandler(sockets::handle);
        return server.listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .join()
                .actualPort();
    }

    @Override
    void stop() {
        if (vertx != null) {
            vertx.close().toCompletionStage().toCompletableFuture().join();
            vertx = null;
        }
    }
}
