package dev.weir.engine;

import static dev.weir.engine.PresetEngine.attributes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.engine.config.ConfigurationException;
import dev.weir.testkit.ParallelThreads;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Acceptance of reference system D on the memory store, without SQL and without a server. */
class DeviceIngestAcceptanceTest {
    private static final String PATH = "/v1/ride_summary";

    private final PresetEngine ingest = PresetEngine.of("device-ingest", Map.of("BMTC_RATE_LIMIT_ENABLED", "true"));

    private Outcome post(PresetEngine engine, String... more) {
        Map<String, String> attributes = attributes(more);
        attributes.put("method", "POST");
        attributes.put("path", PATH);
        return engine.weir.check(attributes);
    }

    private int allowed(PresetEngine engine, int requests, String... more) {
        int allowed = 0;
        for (int i = 0; i < requests; i++) {
            allowed += post(engine, more).allowed() ? 1 : 0;
        }
        return allowed;
    }

    @Test
    void D1_theWholeQuotaReturnsAnHourAfterTheWindowBegan() {
        assertThat(post(ingest, "device", "d").decisive().remaining()).isEqualTo(499);
        ingest.clock.advance(Duration.ofMinutes(59));
        assertThat(allowed(ingest, 600, "device", "d")).isEqualTo(499);
        Outcome refused = post(ingest, "device", "d");
        assertThat(refused.retryAfter()).isEqualTo(Duration.ofMinutes(1));
        ingest.clock.advance(Duration.ofMinutes(1).minusMillis(1));
        assertThat(post(ingest, "device", "d").allowed()).isFalse();
        ingest.clock.advance(Duration.ofMillis(1));
        assertThat(allowed(ingest, 600, "device", "d")).isEqualTo(500);
    }

    @Test
    void D4_theDeviceCountsElseTheAddressAndTheAnswerSaysWhich() {
        assertThat(post(ingest, "device", "d", "ip", "203.0.113.1").decisive().keyedBy())
                .containsExactly("device");
        assertThat(post(ingest, "ip", "203.0.113.1").decisive().keyedBy()).containsExactly("ip");
        assertThat(post(ingest, "ip", "203.0.113.1").decisive().remaining())
                .as("the device's request did not count for the address")
                .isEqualTo(498);
    }

    @Test
    void D5_offIsUntouchedAndTheQuotaComesFromTheEnvironment() {
        PresetEngine off = PresetEngine.of("device-ingest");
        assertThat(allowed(off, 600, "device", "d")).isEqualTo(600);
        assertThat(post(off, "device", "d").isUntouched()).isTrue();
        assertThat(off.store.entries()).isZero();
        PresetEngine small = PresetEngine.of(
                "device-ingest", Map.of("BMTC_RATE_LIMIT_ENABLED", "true", "BMTC_RATE_LIMIT_PER_HOUR", "7"));
        assertThat(allowed(small, 20, "device", "d")).isEqualTo(7);
        assertThatThrownBy(() -> PresetEngine.of("device-ingest", Map.of("BMTC_RATE_LIMIT_PER_HOUR", "many")))
                .isInstanceOf(ConfigurationException.class);
    }

    @Test
    void D6_theAnswerHasWhatBodyAndHeadersSay() {
        allowed(ingest, 500, "device", "d");
        ingest.clock.advance(Duration.ofMinutes(10));
        LimitResult refused = post(ingest, "device", "d").decisive();
        assertThat(refused.capacity()).isEqualTo(500);
        assertThat(refused.remaining()).isZero();
        assertThat(refused.resetAfter()).isEqualTo(Duration.ofMinutes(50));
        assertThat(refused.retryAfter()).isEqualTo(Duration.ofMinutes(50));
        assertThat(refused.scope()).isEqualTo("device");
    }

    @Test
    void D7_onlyPostToTheIngestPathIsLimited() {
        assertThat(ingest.check("device", "d", "method", "GET", "path", PATH).isUntouched())
                .isTrue();
        assertThat(ingest.check("device", "d", "method", "POST", "path", "/v1/other")
                        .isUntouched())
                .isTrue();
        assertThat(ingest.check("device", "d", "method", "POST", "path", PATH + "/")
                        .isUntouched())
                .as("another spelling of the same path")
                .isFalse();
    }

    @Test
    void D8_readingTheStateSpendsNothing() {
        post(ingest, "device", "d");
        for (int i = 0; i < 10; i++) {
            assertThat(ingest.weir.status(attributes("device", "d")).get(0).remaining())
                    .isEqualTo(499);
        }
    }

    @Test
    void D9_devicesAreIndependentAndParallelRequestsGetExactlyTheQuota() throws Exception {
        PresetEngine small = PresetEngine.of(
                "device-ingest", Map.of("BMTC_RATE_LIMIT_ENABLED", "true", "BMTC_RATE_LIMIT_PER_HOUR", "20"));
        for (int round = 0; round < 20; round++) {
            String device = "device-" + round;
            assertThat(ParallelThreads.count(
                            10, 5, () -> post(small, "device", device).allowed()))
                    .isEqualTo(20);
        }
    }
}
