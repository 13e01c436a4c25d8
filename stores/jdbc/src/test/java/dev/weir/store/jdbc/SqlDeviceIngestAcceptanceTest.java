package dev.weir.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.LimitResult;
import dev.weir.engine.Outcome;
import dev.weir.engine.Weir;
import dev.weir.engine.WeirOptions;
import dev.weir.engine.config.ConfigurationReader;
import dev.weir.engine.guard.GuardOptions;
import dev.weir.engine.settings.JsonSettingsFormat;
import dev.weir.store.jdbc.rows.GivenClock;
import dev.weir.testkit.FakeClock;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Reference system D on SQL, without a server. */
@Tag("io")
class SqlDeviceIngestAcceptanceTest {
    private final FakeClock clock = new FakeClock();

    /** An engine on a database of its own. */
    private final class Ingest implements AutoCloseable {
        private final DatabaseKind.Site site;
        private final Weir weir;

        Ingest(DatabaseKind kind, Map<String, String> environment, @Nullable GivenClock given) {
            site = kind.newSite();
            JdbcBackend backend = site.node(DatabaseKind.LONG_TIMEOUT, given);
            weir = Weir.of(
                    new ConfigurationReader(environment::get)
                            .preset("device-ingest")
                            .orThrow(),
                    backend.store(),
                    backend.settings(new JsonSettingsFormat()),
                    WeirOptions.defaults()
                            .withClock(clock::wall)
                            .withGuard(GuardOptions.defaults().withDeadline(Duration.ofSeconds(20))));
        }

        Outcome post(String... more) {
            Map<String, String> attributes = new HashMap<>(Map.of("method", "POST", "path", "/v1/ride_summary"));
            for (int i = 0; i < more.length; i += 2) {
                attributes.put(more[i], more[i + 1]);
            }
            return weir.check(attributes);
        }

        int allowed(int requests, String... more) {
            int allowed = 0;
            for (int i = 0; i < requests; i++) {
                allowed += post(more).allowed() ? 1 : 0;
            }
            return allowed;
        }

        @Override
        public void close() {
            weir.close();
            site.close();
        }
    }

    private Ingest ingest(DatabaseKind kind, String... environment) {
        Map<String, String> all = new HashMap<>(Map.of("BMTC_RATE_LIMIT_ENABLED", "true"));
        for (int i = 0; i < environment.length; i += 2) {
            all.put(environment[i], environment[i + 1]);
        }
        return new Ingest(kind, all, SqliteUnderTest.given(clock));
    }

    @ParameterizedTest
    @EnumSource(DatabaseKind.class)
    void D1_theWholeQuotaReturnsAnHourAfterTheWindowBegan(DatabaseKind kind) {
        try (Ingest ingest = ingest(kind)) {
            assertThat(ingest.post("device", "d").decisive().remaining()).isEqualTo(499);
            clock.advance(Duration.ofMinutes(59));
            assertThat(ingest.allowed(510, "device", "d")).isEqualTo(499);
            assertThat(ingest.post("device", "d").retryAfter()).isEqualTo(Duration.ofMinutes(1));
            clock.advance(Duration.ofMinutes(1).minusMillis(1));
            assertThat(ingest.post("device", "d").allowed()).isFalse();
            clock.advance(Duration.ofMillis(1));
            assertThat(ingest.allowed(510, "device", "d")).isEqualTo(500);
        }
    }

    /** One statement a check, whatever else happens: as many round trips as checks that come one after another. */
    @ParameterizedTest
    @EnumSource(DatabaseKind.class)
    void D2_oneRoundTripToTheDatabasePerCheck(DatabaseKind kind) {
        try (Ingest ingest = ingest(kind)) {
            JdbcStore store = (JdbcStore) ingest.weir.store().delegate();
            long before = store.batches();
            assertThat(ingest.allowed(50, "device", "d")).isEqualTo(50);
            assertThat(store.batches() - before).isEqualTo(50);
        }
    }

    @ParameterizedTest
    @EnumSource(DatabaseKind.class)
    void D4_theDeviceCountsElseTheAddressAndTheAnswerSaysWhich(DatabaseKind kind) {
        try (Ingest ingest = ingest(kind)) {
            assertThat(ingest.post("device", "d", "ip", "203.0.113.1")
                            .decisive()
                            .keyedBy())
                    .containsExactly("device");
            assertThat(ingest.post("ip", "203.0.113.1").decisive().keyedBy()).containsExactly("ip");
            assertThat(ingest.post("ip", "203.0.113.1").decisive().remaining()).isEqualTo(498);
        }
    }

    @ParameterizedTest
    @EnumSource(DatabaseKind.class)
    void D5_offIsUntouchedAndTheQuotaComesFromTheEnvironment(DatabaseKind kind) {
        try (Ingest off = new Ingest(kind, Map.of(), null)) {
            assertThat(off.post("device", "d").isUntouched()).isTrue();
        }
        try (Ingest small = ingest(kind, "BMTC_RATE_LIMIT_PER_HOUR", "7")) {
            assertThat(small.allowed(20, "device", "d")).isEqualTo(7);
        }
    }

    @ParameterizedTest
    @EnumSource(DatabaseKind.class)
    void D6_theAnswerHasWhatBodyAndHeadersSay(DatabaseKind kind) {
        try (Ingest ingest = ingest(kind, "BMTC_RATE_LIMIT_PER_HOUR", "5")) {
            ingest.allowed(5, "device", "d");
            clock.advance(Duration.ofMinutes(10));
            LimitResult refused = ingest.post("device", "d").decisive();
            assertThat(refused.capacity()).isEqualTo(5);
            assertThat(refused.remaining()).isZero();
            assertThat(refused.resetAfter()).isEqualTo(Duration.ofMinutes(50));
            assertThat(refused.retryAfter()).isEqualTo(Duration.ofMinutes(50));
            assertThat(refused.scope()).isEqualTo("device");
        }
    }

    @ParameterizedTest
    @EnumSource(DatabaseKind.class)
    void D7_onlyPostToTheIngestPathIsLimited(DatabaseKind kind) {
        try (Ingest ingest = ingest(kind)) {
            assertThat(ingest.post("device", "d", "method", "GET").isUntouched())
                    .isTrue();
            assertThat(ingest.post("device", "d", "path", "/v1/other").isUntouched())
                    .isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(DatabaseKind.class)
    void D8_readingTheStateSpendsNothing(DatabaseKind kind) {
        try (Ingest ingest = ingest(kind)) {
            ingest.post("device", "d");
            for (int i = 0; i < 10; i++) {
                assertThat(ingest.weir.status(Map.of("device", "d")).get(0).remaining())
                        .isEqualTo(499);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(DatabaseKind.class)
    void D9_fiftyParallelRequestsGetExactlyTheQuota(DatabaseKind kind) throws Exception {
        try (Ingest ingest =
                new Ingest(kind, Map.of("BMTC_RATE_LIMIT_ENABLED", "true", "BMTC_RATE_LIMIT_PER_HOUR", "20"), null)) {
            for (int round = 0; round < 5; round++) {
                String device = "device-" + round;
                Callable<Boolean> request = () -> ingest.post("device", device).allowed();
                assertThat(ConcurrentCallers.count(50, thread -> request)).isEqualTo(20);
            }
        }
    }
}
