package dev.weir.engine;

import static dev.weir.engine.PresetEngine.attributes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.config.Configuration;
import dev.weir.engine.config.ConfigurationReader;
import dev.weir.engine.config.Presets;
import dev.weir.engine.event.Event;
import dev.weir.spi.settings.SettingsChange;
import dev.weir.testkit.ParallelThreads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Acceptance of reference system C on the memory store, without a cluster. */
class CredentialApiAcceptanceTest {
    private final PresetEngine api = PresetEngine.of("credential-api");

    private boolean exchange(String customer) {
        return api.check("customer", customer, "action", "credential_exchange").allowed();
    }

    @Test
    void C1_eachActionHasItsLimit() {
        assertThat(api.allowed(200, "customer", "c", "action", "credential_exchange"))
                .isEqualTo(10);
        assertThat(api.allowed(200, "customer", "c", "action", "usage_report")).isEqualTo(100);
        assertThat(api.allowed(200, "customer", "c", "action", "ast_analysis")).isEqualTo(50);
        assertThat(api.allowed(200, "customer", "c", "action", "else")).isEqualTo(200);
        assertThat(api.allowed(200, "customer", "d", "action", "credential_exchange"))
                .as("customers are apart")
                .isEqualTo(10);
    }

    @Test
    void C1_noWindowHoldsMoreThanTheLimitAndNoneIsRefusedWithoutNeed() {
        Random random = new Random(11);
        List<Long> admitted = new ArrayList<>();
        long now = 0;
        for (int i = 0; i < 5_000; i++) {
            long step = random.nextInt(10) == 0 ? random.nextInt(30_000) : random.nextInt(3_000);
            api.clock.advance(Duration.ofMillis(step));
            now += step;
            long end = now;
            long inWindow =
                    admitted.stream().filter(time -> end - time < 60_000).count();
            boolean allowed = exchange("c");
            assertThat(allowed).as("at %d with %d in the window", now, inWindow).isEqualTo(inWindow < 10);
            if (allowed) {
                admitted.add(now);
            }
        }
        assertThat(admitted).hasSizeGreaterThan(500);
    }

    @Test
    void C1_concurrentRequestsShareOneWindow() throws Exception {
        for (int round = 0; round < 20; round++) {
            String customer = "customer-" + round;
            assertThat(ParallelThreads.count(8, 5, () -> exchange(customer))).isEqualTo(10);
        }
    }

    @Test
    void C5_expiredEntriesAreRemovedAndCounted() {
        for (int i = 0; i < 100; i++) {
            exchange("customer-" + i);
        }
        assertThat(api.store.entries()).isEqualTo(100);
        api.clock.advance(Duration.ofSeconds(60));
        api.store.sweep();
        assertThat(api.store.entries()).isZero();
        assertThat(api.store.swept()).isEqualTo(100);
        assertThat(api.store.sweeps()).isPositive();
        assertThat(api.allowed(20, "customer", "customer-1", "action", "credential_exchange"))
                .isEqualTo(10);
    }

    @Test
    void C6_theAnswerIsAllowedOrLimitedWithAWaitAndIsTold() {
        List<Event> events = new CopyOnWriteArrayList<>();
        api.weir.events().subscribe("test", 1000, events::add);
        api.allowed(10, "customer", "c", "action", "credential_exchange");
        api.clock.advance(Duration.ofSeconds(20));
        Outcome refused = api.check("customer", "c", "action", "credential_exchange");
        assertThat(refused.reason()).isEqualTo(Reason.LIMITED);
        assertThat(refused.retryAfter()).isEqualTo(Duration.ofSeconds(40));
        api.weir.events().close(Duration.ofSeconds(5));
        assertThat(events).filteredOn(Event.Allowed.class::isInstance).hasSize(10);
        assertThat(events).filteredOn(Event.Denied.class::isInstance).hasSize(1);
    }

    @Test
    void C7_aChangedConfigurationAppliesWithoutARestart() {
        assertThat(api.allowed(20, "customer", "c", "action", "credential_exchange"))
                .isEqualTo(10);
        Configuration changed = new ConfigurationReader(name -> null)
                .read("c.yaml", Presets.text("credential-api").replace("rate: 10/min", "rate: 15/min"))
                .orThrow();
        api.weir.reconfigure(changed);
        assertThat(api.allowed(20, "customer", "c", "action", "credential_exchange"))
                .as("what was spent is kept")
                .isEqualTo(5);
    }

    @Test
    void C7_aChangedDefaultReachesTheNodesOfTheSameSettings() {
        Weir other = Weir.of(api.weir.configuration(), api.store, api.settings);
        api.weir.change(new SettingsChange.PutDefaults(
                "admin", api.clock.wall(), Map.of("credential_exchange", Map.of("default", "3/min"))));
        int allowed = 0;
        for (int i = 0; i < 9; i++) {
            allowed += other.check(attributes("customer", "c", "action", "credential_exchange"))
                            .allowed()
                    ? 1
                    : 0;
        }
        assertThat(allowed).isEqualTo(3);
    }

    @Test
    void C8_oneCustomersActionIsReset() {
        api.allowed(20, "customer", "c", "action", "credential_exchange");
        api.allowed(200, "customer", "c", "action", "usage_report");
        api.allowed(20, "customer", "d", "action", "credential_exchange");
        assertThat(api.weir.reset(attributes("customer", "c", "action", "credential_exchange")))
                .isEqualTo(1);
        assertThat(exchange("c")).isTrue();
        assertThat(exchange("d")).isFalse();
        assertThat(api.check("customer", "c", "action", "usage_report").allowed())
                .isFalse();
    }

    @Test
    void C10_adminLoginsAreLimitedByAddressAndPath() {
        assertThat(api.allowed(9, "ip", "203.0.113.1", "path", "/admin/login")).isEqualTo(5);
        assertThat(api.allowed(9, "ip", "203.0.113.1", "path", "//admin/./login?x"))
                .as("no other spelling slips past")
                .isZero();
        assertThat(api.allowed(9, "ip", "203.0.113.2", "path", "/admin/login")).isEqualTo(5);
        assertThat(api.allowed(9, "ip", "203.0.113.1", "path", "/admin/users")).isEqualTo(9);
    }

    @ParameterizedTest
    @ValueSource(strings = {"token-bucket", "fixed-window"})
    void C11_anActiveEntryTakesAtMost200BytesOfHeap(String algorithm) {
        int entries = 300_000;
        try (PresetEngine engine = PresetEngine.yaml(
                "limits: [{ name: a, per: [customer], rate: 10/day, algorithm: " + algorithm + " }]\n")) {
            engine.check("customer", "first");
            long before = usedHeap();
            for (int i = 0; i < entries; i++) {
                engine.check("customer", "customer-" + i);
            }
            long bytesEach = (usedHeap() - before) / entries;
            assertThat(engine.store.entries()).isEqualTo(entries + 1);
            assertThat(bytesEach).isLessThanOrEqualTo(200);
        }
    }

    private static long usedHeap() {
        Runtime runtime = Runtime.getRuntime();
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
