package dev.weir.server;

import dev.weir.engine.Weir;
import dev.weir.engine.trace.OpenTelemetryTracer;
import io.opentelemetry.api.GlobalOpenTelemetry;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/**
 * Traces the decisions of a server with the OpenTelemetry SDK of the process, if there is one: that of the Java agent,
 * or one that configures itself. Without one, decisions are not traced and nothing is measured for it.
 */
final class DecisionTraces {
    private static final Logger LOG = System.getLogger(WeirServer.class.getName());
    private static final String AUTOCONFIGURE = "otel.java.global-autoconfigure.enabled";

    private DecisionTraces() {}

    static void begin(Weir weir) {
        if (GlobalOpenTelemetry.isSet() || isAutoconfigured()) {
            weir.trace(new OpenTelemetryTracer(GlobalOpenTelemetry.get()));
            LOG.log(Level.INFO, "decisions are traced with OpenTelemetry");
        }
    }

    private static boolean isAutoconfigured() {
        return Boolean.getBoolean(AUTOCONFIGURE)
                || Boolean.parseBoolean(System.getenv("OTEL_JAVA_GLOBAL_AUTOCONFIGURE_ENABLED"));
    }
}
