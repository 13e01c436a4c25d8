package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.engine.trace.OpenTelemetryTracer;
import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("io")
class DecisionTracesTest {
    private static final String YAML = """
            version: 1
            limits: [{ name: heavy, per: [agent], rate: 1/day }]
            """;

    @AfterEach
    void reset() {
        GlobalOpenTelemetry.resetForTest();
    }

    @Test
    void checks_areTracedWithTheSdkOfTheProcess() {
        InMemorySpanExporter exporter = InMemorySpanExporter.create();
        try (OpenTelemetrySdk sdk = OpenTelemetrySdk.builder()
                        .setTracerProvider(SdkTracerProvider.builder()
                                .addSpanProcessor(SimpleSpanProcessor.create(exporter))
                                .build())
                        .buildAndRegisterGlobal();
                TestServer server = TestServer.yaml(YAML)) {
            assertThat(sdk).isNotNull();
            server.check("{\"agent\":\"alice\"}");
            server.check("{\"agent\":\"alice\"}");
            await().until(() -> exporter.getFinishedSpanItems().size() == 2);
            SpanData denied = exporter.getFinishedSpanItems().get(1);
            assertThat(denied.getAttributes().get(OpenTelemetryTracer.REASON)).isEqualTo("limited");
            assertThat(denied.getAttributes().get(OpenTelemetryTracer.LIMIT)).isEqualTo("heavy");
            assertThat(denied.toString()).doesNotContain("alice");
        }
    }

    @Test
    void withoutAnSdk_nothingIsSet() {
        try (TestServer server = TestServer.yaml(YAML)) {
            assertThat(server.check("{\"agent\":\"alice\"}").statusCode()).isEqualTo(200);
            assertThat(GlobalOpenTelemetry.isSet()).isFalse();
        }
    }
}
