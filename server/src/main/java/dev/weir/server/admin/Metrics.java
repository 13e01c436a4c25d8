package dev.weir.server.admin;

import dev.weir.engine.metric.WeirMeters;
import dev.weir.server.http.ServerState;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

/** The metrics of the engine and of the server, in the format of Prometheus. */
public final class Metrics implements AutoCloseable {
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final WeirMeters meters;

    public Metrics(ServerState node) {
        this.meters = new WeirMeters(node.weir);
        meters.bindTo(registry);
        for (int hundred = 2; hundred <= 5; hundred++) {
            int own = hundred;
            FunctionCounter.builder("weir.http.answers", node, counted -> counted.responsesByClass(own))
                    .description("Answers over HTTP")
                    .tag("status", hundred + "xx")
                    .register(registry);
        }
        Gauge.builder("weir.http.connections", node, ServerState::connections)
                .description("Connections that are open")
                .register(registry);
        FunctionCounter.builder("weir.http.connections.refused", node, own -> own.connectionCap.refused())
                .description("Connections closed at once because there were too many")
                .register(registry);
        Gauge.builder("weir.http.held", node, own -> own.memory.held())
                .description("Estimated bytes held for requests and responses in flight")
                .baseUnit("bytes")
                .register(registry);
        Gauge.builder("weir.websocket.connections", node, own -> own.sockets.get())
                .description("WebSockets that are open")
                .register(registry);
        Gauge.builder("weir.events.followers", node, own -> own.followers.count())
                .description("Clients that follow the events")
                .register(registry);
    }

    /** Returns all metrics. Not fast enough for an event loop. */
    String scrape() {
        meters.refresh();
        return registry.scrape();
    }

    @Override
    public void close() {
        registry.close();
    }
}
