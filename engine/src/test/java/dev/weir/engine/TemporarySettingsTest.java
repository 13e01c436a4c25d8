package dev.weir.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.engine.config.Configuration;
import dev.weir.engine.settings.InMemorySettings;
import dev.weir.engine.settings.JsonSettingsFormat;
import dev.weir.memory.MemoryStore;
import dev.weir.spi.settings.AuditEntry;
import dev.weir.spi.settings.SettingsChange;
import dev.weir.spi.settings.SettingsSnapshot;
import dev.weir.spi.settings.Subject;
import dev.weir.spi.settings.Validity;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Overrides and exemptions that end by themselves. */
class TemporarySettingsTest {
    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");
    private static final Subject A1 = new Subject("agent", "a1");
    private static final Validity HOUR = new Validity(NOW.plus(Duration.ofHours(1)), "incident 7");
    private static final Configuration CONFIGURATION =
            PresetEngine.configuration("limits: [{ name: a, per: [agent], rate: 1/day }]\n");

    private final AtomicReference<Instant> now = new AtomicReference<>(NOW);
    private final InMemorySettings settings = new InMemorySettings();
    private Weir weir = open();

    private Weir open() {
        return Weir.of(
                CONFIGURATION,
                MemoryStore.create(),
                settings,
                WeirOptions.defaults().withClock(now::get));
    }

    @AfterEach
    void close() {
        weir.close();
    }

    private int allowed(int times) {
        int allowed = 0;
        for (int i = 0; i < times; i++) {
            allowed += weir.check(Map.of("agent", "a1")).allowed() ? 1 : 0;
        }
        return allowed;
    }

    @Test
    void override_endsByItself_andIsInTheAudit() {
        weir.change(new SettingsChange.PutOverride("admin", NOW, A1, Map.of("a", Map.of("default", "5/day")), HOUR));
        assertThat(allowed(9)).isEqualTo(5);
        now.set(HOUR.expiresAt().minusMillis(1));
        assertThat(weir.settings().overrides()).containsKey(A1);
        now.set(HOUR.expiresAt());
        assertThat(weir.settings().overrides()).isEmpty();
        await().until(() -> settings.current().overrides().isEmpty() || advance());
        AuditEntry end = weir.audit(1).get(0);
        assertThat(end.change()).isInstanceOf(SettingsChange.ExpireOverride.class);
        assertThat(end.change().who()).isEqualTo("weir");
        assertThat(end.change().subject()).isEqualTo(A1);
        assertThat(weir.check(Map.of("agent", "a1")).limits().get(0).capacity()).isEqualTo(1);
    }

    /** The removal is spread over a few seconds of the clock. */
    private boolean advance() {
        now.updateAndGet(time -> time.plusMillis(500));
        return false;
    }

    @Test
    void exemption_endsByItself() {
        weir.change(new SettingsChange.AddExempt("admin", NOW, A1, HOUR));
        assertThat(allowed(9)).isEqualTo(9);
        now.set(HOUR.expiresAt());
        await().until(() -> !weir.check(Map.of("agent", "a1")).isUntouched());
        assertThat(allowed(9)).isZero();
    }

    @Test
    void settingThatReplacesATemporaryOne_staysUntilItIsChanged() {
        weir.change(new SettingsChange.AddExempt("admin", NOW, A1, HOUR));
        weir.change(new SettingsChange.AddExempt("admin", NOW, A1));
        now.set(HOUR.expiresAt());
        settings.apply(new SettingsChange.ExpireExempt("weir", now.get(), A1));
        assertThat(allowed(9)).isEqualTo(9);
        assertThat(weir.settings().exemptValidity()).isEmpty();
    }

    @Test
    void settingThatEndedWhileTheEngineWasDown_doesNotApply() {
        settings.apply(new SettingsChange.AddExempt("admin", NOW, A1, HOUR));
        weir = open();
        assertThat(allowed(2)).isEqualTo(2);
        now.set(HOUR.expiresAt());
        weir = open();
        assertThat(allowed(9)).isEqualTo(1);
        assertThat(weir.settings().exempt()).isEmpty();
    }

    /** So that versions before ends and reasons read the settings of those who use none. */
    @Test
    void format_isNewOnlyIfItHasTo() {
        JsonSettingsFormat format = new JsonSettingsFormat();
        SettingsSnapshot plain = SettingsSnapshot.empty().with(new SettingsChange.AddExempt("admin", NOW, A1));
        SettingsSnapshot ending = plain.with(new SettingsChange.AddExempt("admin", NOW, A1, HOUR));
        assertThat(new String(format.write(plain), StandardCharsets.US_ASCII)).startsWith("{\"weir-settings\":1,");
        assertThat(new String(format.write(ending), StandardCharsets.US_ASCII)).startsWith("{\"weir-settings\":2,");
        assertThat(format.readSnapshot(format.write(plain))).isEqualTo(plain);
        assertThat(format.readSnapshot(format.write(ending))).isEqualTo(ending);
    }
}
