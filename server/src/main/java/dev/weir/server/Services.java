package dev.weir.server;

import dev.weir.engine.Weir;
import dev.weir.server.admin.AdminApi;
import dev.weir.server.admin.AlertsApi;
import dev.weir.server.admin.ClusterApi;
import dev.weir.server.admin.Metrics;
import dev.weir.server.admin.OperationsApi;
import dev.weir.server.admin.SettingsWrites;
import dev.weir.server.admin.SubjectsApi;
import dev.weir.server.check.DecisionApi;
import dev.weir.server.check.ForwardAuth;
import dev.weir.server.check.WebSocketChecks;
import dev.weir.server.dashboard.DashboardStream;
import dev.weir.server.dashboard.EventStream;
import dev.weir.server.dashboard.LimitUseApi;
import dev.weir.server.dashboard.TailStream;
import dev.weir.server.envoy.EnvoyService;
import dev.weir.server.http.Assets;
import dev.weir.server.http.DocumentationPages;
import dev.weir.server.http.Router;
import dev.weir.server.http.ServerState;
import dev.weir.server.http.Tokens;
import dev.weir.server.rls.RateLimitRoutes;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** All request handlers, created once and shared by all event loops. */
final class Services implements AutoCloseable {
    private static final long TOKENS_MILLIS = 500;

    private final ServerState node;
    private final Router router;
    private final WebSocketChecks sockets;
    private final EventStream stream;
    private final TailStream tail;
    private final DashboardStream dashboard;
    private final Metrics metrics;

    Services(ServerState node, ServerOptions options, EnvoyService envoy) {
        this.node = node;
        this.router = new Router(node.access);
        Weir weir = node.weir;
        sockets = new WebSocketChecks(node, options.limits().idleTime());
        dashboard = new DashboardStream(node, options.limits(), historyDirectory(options));
        stream = new EventStream(node, options.limits(), dashboard);
        tail = new TailStream(node, options.limits());
        metrics = new Metrics(node, dashboard.latencies());
        metrics.add(envoy::metricsText);
        new DecisionApi(weir).register(router);
        new ForwardAuth(weir).register(router);
        new RateLimitRoutes(node, envoy.decisions()).register(router);
        sockets.register(router);
        new SubjectsApi(weir, dashboard.seenSubjects()).register(router);
        stream.register(router);
        tail.register(router);
        dashboard.register(router);
        new LimitUseApi(weir).register(router);
        new Assets(node).register(router);
        new DocumentationPages(node).register(router);
        SettingsWrites writes = new SettingsWrites();
        new AdminApi(weir, writes).register(router);
        new ClusterApi(weir).register(router);
        new AlertsApi(weir, dashboard.incidents()).register(router);
        new OperationsApi(node, metrics, writes).register(router);
        followTokens();
    }

    /** The memory store keeps the dashboard's history beside its settings, in a directory that belongs to this process. */
    private @Nullable Path historyDirectory(ServerOptions options) {
        return node.weir.configuration().store().equals("memory") ? options.data() : null;
    }

    private void followTokens() {
        Tokens tokens = node.access.tokens();
        if (tokens.hasFile()) {
            node.vertx.setPeriodic(
                    TOKENS_MILLIS,
                    tick -> node.vertx.executeBlocking(
                            () -> {
                                tokens.look();
                                return true;
                            },
                            false));
        }
    }

    Router router() {
        return router;
    }

    /** Ends long-lived responses: WebSockets and event streams. */
    void end() {
        sockets.close();
        stream.close();
        tail.close();
        dashboard.end();
    }

    @Override
    public void close() {
        dashboard.close();
        node.access.close();
        metrics.close();
    }
}
