package dev.weir.server.rls;

import dev.weir.server.envoy.RateLimitDecisions;
import dev.weir.server.envoy.RateLimitQuery;
import dev.weir.server.http.Exchange;
import dev.weir.server.http.ProblemException;
import dev.weir.server.http.RouteAccess;
import dev.weir.server.http.Router;
import dev.weir.server.http.ServerState;
import io.vertx.core.http.HttpHeaders;
import java.nio.charset.StandardCharsets;

/** HTTP routes of Envoy's rate limit service: decisions as JSON, health, and the configuration. */
public final class RateLimitRoutes {
    private static final CharSequence PLAIN = HttpHeaders.createOptimized("text/plain; charset=utf-8");

    private final ServerState node;
    private final RateLimitDecisions decisions;

    public RateLimitRoutes(ServerState node, RateLimitDecisions decisions) {
        this.node = node;
        this.decisions = decisions;
    }

    public void register(Router router) {
        router.add(RouteAccess.DECIDE, "POST", "/json", this::decide)
                .add(RouteAccess.NOTHING, "GET", "/healthcheck", this::health)
                .add(RouteAccess.READ, "GET", "/rlconfig", this::configuration);
    }

    private void decide(Exchange exchange) {
        exchange.readBody(body -> exchange.whenDone(
                decisions.decide(query(body)),
                reply -> exchange.json(reply.allowed() ? 200 : 429, JsonReply.write(reply))));
    }

    private RateLimitQuery query(byte[] body) {
        try {
            return JsonQuery.read(body);
        } catch (ProblemException e) {
            decisions.countInvalid();
            throw e;
        }
    }

    private void health(Exchange exchange) {
        if (node.isDraining()) {
            exchange.text(500, PLAIN, text("draining"));
            return;
        }
        exchange.whenDone(
                node.weir.isStoreReachableAsync(),
                reachable -> exchange.text(reachable ? 200 : 500, PLAIN, text(reachable ? "OK" : "store unreachable")));
    }

    private void configuration(Exchange exchange) {
        exchange.text(200, PLAIN, text(decisions.configurationText()));
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
