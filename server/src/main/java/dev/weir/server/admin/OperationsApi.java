package dev.weir.server.admin;

import dev.weir.engine.json.Json;
import dev.weir.server.http.Exchange;
import dev.weir.server.http.RouteAccess;
import dev.weir.server.http.Router;
import dev.weir.server.http.ServerState;
import io.vertx.core.http.HttpHeaders;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** HTTP routes for operators: health, metrics, the description of the API. */
public final class OperationsApi {
    private static final CharSequence PROMETHEUS =
            HttpHeaders.createOptimized("text/plain; version=0.0.4; charset=utf-8");
    private static final CharSequence YAML = HttpHeaders.createOptimized("application/yaml");

    private final ServerState node;
    private final Metrics metrics;
    private final SettingsWrites writes;
    private final byte[] description = resource("openapi.yaml");

    public OperationsApi(ServerState node, Metrics metrics, SettingsWrites writes) {
        this.node = node;
        this.metrics = metrics;
        this.writes = writes;
    }

    public void register(Router router) {
        router.add(RouteAccess.NOTHING, "GET", "/health/live", exchange -> exchange.json(200, status("up")))
                .add(RouteAccess.NOTHING, "GET", "/health/ready", this::ready)
                .add(RouteAccess.READ, "GET", "/metrics", this::metrics)
                .add(RouteAccess.NAME, "GET", "/openapi.yaml", exchange -> exchange.text(YAML, description));
    }

    /** Ready while the store responds, until the server drains. */
    private void ready(Exchange exchange) {
        if (node.isDraining()) {
            exchange.json(503, status("draining"));
            return;
        }
        exchange.whenDone(
                node.weir.isStoreReachableAsync(),
                reachable -> exchange.json(reachable ? 200 : 503, readiness(reachable)));
    }

    /** Settings that cannot be written are reported, but do not change readiness, because limits still apply. */
    private Json readiness(boolean reachable) {
        Json json = Json.newObject(64).field("status", reachable ? "up" : "store unreachable");
        if (writes.areFailing()) {
            json.field("settings", "changes cannot be written");
        }
        return json.close('}');
    }

    private void metrics(Exchange exchange) {
        exchange.blocking(metrics::scrape, text -> exchange.text(PROMETHEUS, text.getBytes(StandardCharsets.UTF_8)));
    }

    private static Json status(String status) {
        return Json.newObject(32).field("status", status).close('}');
    }

    private static byte[] resource(String name) {
        try (InputStream in = OperationsApi.class.getResourceAsStream("/dev/weir/server/" + name)) {
            if (in == null) {
                throw new IllegalStateException(name + " is missing from this build of weir-server");
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
