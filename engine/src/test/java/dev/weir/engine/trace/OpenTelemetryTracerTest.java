package dev.weir.engine.trace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.Request;
import dev.weir.engine.Weir;
import dev.weir.engine.config.Configuration;
import dev.weir.engine.config.ConfigurationReader;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OpenTelemetryTracerTest {
    private final Weir weir = Weir.inMemory(configuration("""
            limits:
              - { name: a, per: [user], rate: 1/hour }
              - { name: b, per: [], rate: 1/hour, shadow: true }
              - { name: seats, per: [user], algorithm: concurrency, rate: 1 }
            """));
    private final InMemorySpanExporter exporter = InMemorySpanExporter.create();
    private final OpenTelemetrySdk sdk = OpenTelemetrySdk.builder()
            .setTracerProvider(SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(exporter))
                    .build())
            .build();

    private static Configuration configuration(String yaml) {
        return new ConfigurationReader(name -> null).read("test.yaml", yaml).orThrow();
    }

    @AfterEach
    void close() {
        weir.close();
        sdk.close();
    }

    private SpanData last() {
        List<SpanData> spans = exporter.getFinishedSpanItems();
        return spans.get(spans.size() - 1);
    }

    @Test
    void decision_isASpanWithLimitsOutcomeAndTheStoresTime() {
        weir.trace(new OpenTelemetryTracer(sdk));
        weir.check(Map.of("user", "alice"));
        SpanData allowed = last();
        assertThat(allowed.getName()).isEqualTo("weir.decide");
        assertThat(allowed.getAttributes().get(OpenTelemetryTracer.LIMITS)).containsExactly("a", "b");
        assertThat(allowed.getAttributes().get(OpenTelemetryTracer.ALLOWED)).isTrue();
        assertThat(allowed.getAttributes().get(OpenTelemetryTracer.REASON)).isEqualTo("allowed");
        assertThat(allowed.getAttributes().get(OpenTelemetryTracer.LIMIT)).isNull();
        assertThat(allowed.getAttributes().get(OpenTelemetryTracer.STORE_NANOS))
                .isBetween(1L, allowed.getEndEpochNanos() - allowed.getStartEpochNanos() + 1_000_000L);
        weir.check(Map.of("user", "alice"));
        SpanData denied = last();
        assertThat(denied.getAttributes().get(OpenTelemetryTracer.REASON)).isEqualTo("limited");
        assertThat(denied.getAttributes().get(OpenTelemetryTracer.LIMIT)).isEqualTo("a");
        assertThat(denied.getAttributes().get(OpenTelemetryTracer.SHADOW_DENIED))
                .containsExactly("b");
    }

    @Test
    void keysAndAttributes_areInNoSpan() {
        weir.trace(new OpenTelemetryTracer(sdk));
        weir.check(Map.of("user", "alice"));
        weir.check(Map.of("user", "alice"));
        assertThat(exporter.getFinishedSpanItems().toString()).doesNotContain("alice");
    }

    @Test
    void leaseAndReservation_areTraced_andPeekIsNot() {
        weir.trace(new OpenTelemetryTracer(sdk));
        weir.acquire(Request.of(Map.of("user", "alice")), Duration.ofMinutes(1)).close();
        assertThat(last().getAttributes().get(OpenTelemetryTracer.LIMITS)).contains("seats");
        int before = exporter.getFinishedSpanItems().size();
        weir.reserve(Request.of(Map.of("user", "bob")), Duration.ofMinutes(1)).close();
        weir.peek(Map.of("user", "bob"));
        assertThat(exporter.getFinishedSpanItems()).hasSize(before + 1);
    }

    @Test
    void span_belongsToTheCallersTrace() {
        weir.trace(new OpenTelemetryTracer(sdk));
        Span outer = sdk.getTracer("test").spanBuilder("request").startSpan();
        try (Scope scope = outer.makeCurrent()) {
            weir.check(Map.of("user", "alice"));
        } finally {
            outer.end();
        }
        SpanData span = exporter.getFinishedSpanItems().get(0);
        assertThat(span.getTraceId()).isEqualTo(outer.getSpanContext().getTraceId());
        assertThat(span.getParentSpanId()).isEqualTo(outer.getSpanContext().getSpanId());
    }

    /** The message of a failure may contain a value of the request. */
    @Test
    void requestThatCannotBeDecided_endsItsSpanAsAnError() {
        new OpenTelemetryTracer(sdk).begin(List.of("a")).fail(new IllegalArgumentException("'alice' is no number"));
        assertThat(last().getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(last().toString()).doesNotContain("alice");
    }

    @Test
    void withoutATracer_nothingIsTraced() {
        weir.trace(new OpenTelemetryTracer(sdk));
        weir.trace(null);
        weir.check(Map.of("user", "alice"));
        assertThat(exporter.getFinishedSpanItems()).isEmpty();
    }
}
