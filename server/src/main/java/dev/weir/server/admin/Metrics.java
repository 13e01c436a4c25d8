package dev.weir.server.admin;

import dev.weir.engine.metric.WeirMeters;
import dev.weir.server.dashboard.Latencies;
import dev.weir.server.http.ServerState;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The metrics of the engine and of the server, in the format of Prometheus. */
public final class Metrics implements AutoCloseable {
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    /** Prefixes of the meters that Micrometer has for every process; all names begin with {@code weir}. */
    private static final List<String> COMMON = List.of("jvm.", "process.", "system.");

    private final WeirMeters meters;
    private final JvmGcMetrics collections = new JvmGcMetrics();
    private final List<Supplier<String>> texts = new CopyOnWriteArrayList<>();

    public Metrics(ServerState node, Latencies latencies) {
        registry.config().meterFilter(new MeterFilter() {
            @Override
            public Meter.Id map(Meter.Id id) {
                return COMMON.stream().anyMatch(id.getName()::startsWith) ? id.withName("weir." + id.getName()) : id;
            }
        });
        Gauge.builder("weir.build.info", () -> 1)
                .description("1; the version is in the labels")
                .tag("version", node.identity.version())
                .tag("java", Runtime.version().toString())
                .register(registry);
        Stream.of(
                        new JvmMemoryMetrics(),
                        collections,
                        new JvmThreadMetrics(),
                        new ProcessorMetrics(),
                        new FileDescriptorMetrics(),
                        new UptimeMetrics())
                .forEach(binder -> binder.bindTo(registry));
        this.meters = WeirMeters.withoutTimers(node.weir);
        meters.bindTo(registry);
        registry.getPrometheusRegistry().register(new LatencyCollector(latencies));
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

    /** Adds metrics that are a text already, in the format of Prometheus, with names of their own. */
    public void add(Supplier<String> more) {
        texts.add(more);
    }

    /** Returns all metrics. Not fast enough for an event loop. */
    String scrape() {
        meters.refresh();
        StringBuilder all = new StringBuilder(registry.scrape());
        texts.forEach(text -> all.append(text.get()));
        return all.toString();
    }

    @Override
    public void close() {
        collections.close();
        registry.close();
    }
}
