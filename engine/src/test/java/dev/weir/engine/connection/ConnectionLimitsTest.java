package dev.weir.engine.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.Request;
import dev.weir.engine.Weir;
import dev.weir.engine.config.ConfigurationReader;
import dev.weir.engine.settings.InMemorySettings;
import dev.weir.memory.MemoryStore;
import dev.weir.memory.MemoryStoreOptions;
import dev.weir.testkit.FakeClock;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connection slots are acquired in one step, released once, and freed when their process has ended. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class ConnectionLimitsTest {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Map<String, String> ANN = Map.of("user", "ann");

    private final FakeClock clock = new FakeClock();
    private final MemoryStore store =
            MemoryStore.create(MemoryStoreOptions.defaults().timeSource(clock));
    private final Weir weir = Weir.of(
            new ConfigurationReader(name -> null)
                    .read(
                            "test.yaml",
                            "version: 1\nlimits: [{ name: connections, per: [user], algorithm: concurrency, rate: 2 }]")
                    .orThrow(),
            store,
            new InMemorySettings());

    @Test
    void slots_areTakenAndGivenBackOnce() {
        try (weir;
                ConnectionLimits limits = new ConnectionLimits(weir)) {
            ConnectionSlot one = limits.admit(ANN).now();
            ConnectionSlot two = limits.admit(ANN).now();
            ConnectionSlot refused = limits.admit(ANN).now();
            assertThat(one.granted()).isTrue();
            assertThat(two.granted()).isTrue();
            assertThat(refused.granted()).isFalse();
            assertThat(refused.outcome().decisive().name()).isEqualTo("connections");
            refused.release();
            one.release();
            one.release();
            assertThat(limits.open()).isEqualTo(1);
            assertThat(limits.admit(ANN).now().granted()).isTrue();
            assertThat(limits.admit(ANN).now().granted()).isFalse();
        }
    }

    @Test
    void closing_releasesAll() {
        ConnectionLimits limits = new ConnectionLimits(weir);
        limits.admit(ANN).now();
        limits.admit(ANN).now();
        limits.close();
        try (weir;
                ConnectionLimits others = new ConnectionLimits(weir)) {
            assertThat(others.admit(ANN).now().granted()).isTrue();
        }
    }

    @Test
    void slotsOfADeadProcess_areFreeAfterTheirTime_thoseOfALivingAreNot() {
        // Never renewed, like the lease of a killed process.
        weir.acquire(Request.of(ANN), HOUR);
        try (weir;
                ConnectionLimits living = new ConnectionLimits(weir, HOUR)) {
            ConnectionSlot slot = living.admit(ANN).now();
            AtomicInteger lost = new AtomicInteger();
            slot.whenLost(lost::incrementAndGet);
            assertThat(living.admit(ANN).now().granted()).isFalse();
            for (int i = 0; i < 6; i++) {
                clock.advance(Duration.ofMinutes(20));
                living.renewAll();
            }
            assertThat(lost).hasValue(0);
            assertThat(living.admit(ANN).now().granted()).isTrue();
            assertThat(living.admit(ANN).now().granted()).isFalse();
        }
    }

    @Test
    void aProcessThatSleptTooLong_takesItsSlotAgain() {
        try (weir;
                ConnectionLimits living = new ConnectionLimits(weir, HOUR)) {
            ConnectionSlot slot = living.admit(ANN).now();
            AtomicInteger lost = new AtomicInteger();
            slot.whenLost(lost::incrementAndGet);
            clock.advance(Duration.ofHours(3));
            living.renewAll();
            assertThat(weir.status(ANN).get(0).remaining()).isEqualTo(1);
            assertThat(lost).hasValue(0);
            slot.release();
            assertThat(weir.status(ANN).get(0).remaining()).isEqualTo(2);
        }
    }

    @Test
    void aSlotThatOthersTookMeanwhile_isLostAndToldSoOnce() {
        try (weir;
                ConnectionLimits living = new ConnectionLimits(weir, HOUR)) {
            ConnectionSlot slot = living.admit(ANN).now();
            AtomicInteger lost = new AtomicInteger();
            slot.whenLost(lost::incrementAndGet);
            clock.advance(Duration.ofHours(3));
            weir.acquire(Request.of(ANN), HOUR);
            weir.acquire(Request.of(ANN), HOUR);
            living.renewAll();
            living.renewAll();
            assertThat(lost).hasValue(1);
            assertThat(living.open()).isZero();
            slot.release();
            assertThat(weir.status(ANN).get(0).remaining()).isZero();
        }
    }
}
