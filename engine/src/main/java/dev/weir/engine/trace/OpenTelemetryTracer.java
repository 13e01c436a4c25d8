package dev.weir.engine.trace;

import dev.weir.engine.DecisionTrace;
import dev.weir.engine.DecisionTracer;
import dev.weir.engine.LimitResult;
import dev.weir.engine.Outcome;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import java.util.List;

/**
 * Traces of decisions for OpenTelemetry: one span, {@value #SPAN}, for each decision. Its parent is the span of the
 * caller's thread. Immutable.
 *
 * <p>Attributes are names of limits, the outcome and durations. Keys and the attributes of requests are never among
 * them: they may identify people. Use it with {@code weir.trace(new OpenTelemetryTracer(openTelemetry))}.
 */
public final class OpenTelemetryTracer implements DecisionTracer {
    public static final String SPAN = "weir.decide";

    /** The limits that apply, outermost first. */
    public static final AttributeKey<List<String>> LIMITS = AttributeKey.stringArrayKey("weir.limits");

    public static final AttributeKey<Boolean> ALLOWED = AttributeKey.booleanKey("weir.allowed");

    /** {@code allowed}, {@code limited}, {@code penalized}, {@code impossible} or {@code unavailable}. */
    public static final AttributeKey<String> REASON = AttributeKey.stringKey("weir.reason");

    /** The limit that refused. */
    public static final AttributeKey<String> LIMIT = AttributeKey.stringKey("weir.limit");

    /** The shadow limits that would have refused. */
    public static final AttributeKey<List<String>> SHADOW_DENIED = AttributeKey.stringArrayKey("weir.shadow_denied");

    /** The time that the store took, in nanoseconds. */
    public static final AttributeKey<Long> STORE_NANOS = AttributeKey.longKey("weir.store_nanos");

    private final Tracer tracer;

    public OpenTelemetryTracer(OpenTelemetry openTelemetry) {
        this.tracer = openTelemetry.getTracer("dev.weir");
    }

    @Override
    public DecisionTrace begin(List<String> limits) {
        return new DecisionSpan(
                tracer.spanBuilder(SPAN).setAttribute(LIMITS, limits).startSpan());
    }

    private record DecisionSpan(Span span) implements DecisionTrace {
        @Override
        public void end(Outcome outcome, long storeNanos) {
            if (span.isRecording()) {
                span.setAttribute(ALLOWED, outcome.allowed());
                span.setAttribute(REASON, outcome.reason().text());
                span.setAttribute(STORE_NANOS, storeNanos);
                LimitResult decisive = outcome.decisive();
                if (decisive != null && !outcome.allowed()) {
                    span.setAttribute(LIMIT, decisive.name());
                }
                List<String> shadows = outcome.limits().stream()
                        .filter(limit -> limit.shadow() && !limit.allowed())
                        .map(LimitResult::name)
                        .toList();
                if (!shadows.isEmpty()) {
                    span.setAttribute(SHADOW_DENIED, shadows);
                }
            }
            span.end();
        }

        @Override
        public void fail(RuntimeException cause) {
            // The message may contain values of the request.
            span.setStatus(StatusCode.ERROR, cause.getClass().getSimpleName());
            span.end();
        }
    }
}
