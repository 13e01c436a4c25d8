package dev.weir.example.ingest;

import dev.weir.binding.servlet.Extractor;
import dev.weir.binding.servlet.Idempotency;
import dev.weir.binding.servlet.WeirFilter;
import dev.weir.engine.Weir;
import dev.weir.engine.WeirOptions;
import dev.weir.engine.config.Configuration;
import dev.weir.engine.settings.JsonSettingsFormat;
import dev.weir.store.jdbc.JdbcBackend;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.startup.Tomcat;

/**
 * A servlet application. Devices post rides; each device has an hourly quota. Requests with the same {@code
 * Idempotency-Key} are executed once. Quotas and responses are in SQLite or PostgreSQL, rides in SQLite.
 */
final class IngestServer implements AutoCloseable {
    static final String INGEST = "/v1/ride_summary";

    private final Tomcat tomcat;
    private final Weir weir;
    private final Rides rides;

    private IngestServer(Tomcat tomcat, Weir weir, Rides rides) {
        this.tomcat = tomcat;
        this.weir = weir;
        this.rides = rides;
    }

    /**
     * Starts the server.
     *
     * @param port 0 picks a free port
     * @param directory the directory of its files
     * @param store the URI of the database with quotas and responses, {@code jdbc:…}
     */
    static IngestServer start(
            String host, int port, Path directory, String store, Configuration configuration, WeirOptions options) {
        JdbcBackend backend = JdbcBackend.open(store);
        Weir weir = Weir.of(configuration, backend.store(), backend.settings(new JsonSettingsFormat()), options);
        Rides rides = Rides.open("jdbc:sqlite:" + directory.resolve("rides.db"));
        WeirFilter limits = WeirFilter.builder(weir)
                .attribute(
                        "device",
                        Extractor.jsonBody("/device_bucket")
                                .onlyIf(request -> request.getRequestURI().equals(INGEST)))
                .idempotency(Idempotency.with(backend.responses())
                        .per("device", "ip")
                        .onlyIf(request -> request.getMethod().equals("POST")))
                .build();
        Tomcat tomcat = tomcat(host, port, limits, new IngestServlet(weir, rides));
        return new IngestServer(tomcat, weir, rides);
    }

    private static Tomcat tomcat(String host, int port, WeirFilter limits, IngestServlet servlet) {
        try {
            String base = Files.createTempDirectory("device-ingest").toString();
            Tomcat tomcat = new Tomcat();
            tomcat.setBaseDir(base);
            tomcat.setHostname(host);
            tomcat.setPort(port);
            tomcat.getConnector().setProperty("address", host);
            Context context = tomcat.addContext("", base);
            Tomcat.addServlet(context, "ingest", servlet);
            context.addServletMappingDecoded("/v1/*", "ingest");
            context.addServletContainerInitializer((classes, servlets) -> limits.register(servlets, "/*"), Set.of());
            tomcat.start();
            return tomcat;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (LifecycleException e) {
            throw new IllegalStateException("the server cannot be started: " + e.getMessage(), e);
        }
    }

    int port() {
        return tomcat.getConnector().getLocalPort();
    }

    @Override
    public void close() {
        try {
            tomcat.stop();
            tomcat.destroy();
        } catch (LifecycleException e) {
            throw new IllegalStateException("the server did not stop cleanly", e);
        } finally {
            rides.close();
            weir.close();
        }
    }
}
