package dev.weir.engine.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.spi.settings.AuditEntry;
import dev.weir.spi.settings.Settings;
import dev.weir.spi.settings.SettingsChange;
import dev.weir.spi.settings.SettingsSnapshot;
import dev.weir.spi.settings.Subject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class InMemorySettingsTest {
    private static final Instant NOW = Instant.EPOCH;

    private final InMemorySettings settings = new InMemorySettings();

    @Test
    void apply_change_isCurrentAuditedAndTold() {
        List<SettingsSnapshot> told = new ArrayList<>();
        settings.onChange(told::add);
        SettingsChange change = exempt("a");

        SettingsSnapshot after = settings.apply(change);

        assertThat(after.version()).isEqualTo(1);
        assertThat(settings.current()).isSameAs(after);
        assertThat(told).containsExactly(after);
        assertThat(settings.audit(10)).containsExactly(new AuditEntry(1, change));
    }

    @Test
    void onChange_listenerThrows_othersAreTold() {
        List<Long> told = new ArrayList<>();
        settings.onChange(snapshot -> {
            throw new IllegalStateException("broken listener");
        });
        settings.onChange(snapshot -> told.add(snapshot.version()));

        settings.apply(exempt("a"));

        assertThat(told).containsExactly(1L);
    }

    @Test
    void onChange_sameListenerTwice_eachPlaceEndsAlone() {
        List<SettingsSnapshot> told = new ArrayList<>();
        Settings.Registration first = settings.onChange(told::add);
        settings.onChange(told::add);

        settings.apply(exempt("a"));
        first.close();
        first.close();
        settings.apply(exempt("b"));
        settings.close();
        settings.apply(exempt("c"));

        assertThat(told).hasSize(3);
    }

    @Test
    void apply_fromAListener_isMisuseAndHarmsNobody() {
        settings.onChange(snapshot -> settings.apply(exempt("b")));

        assertThat(settings.apply(exempt("a")).version()).isEqualTo(1);
        assertThat(settings.current().version()).isEqualTo(1);
    }

    @Test
    void audit_manyChanges_keepsTheLatest() {
        IntStream.range(0, 1_500).forEach(i -> settings.apply(exempt("a")));

        assertThat(settings.audit(Integer.MAX_VALUE)).hasSize(1_000);
        assertThat(settings.audit(1).get(0).version()).isEqualTo(1_500);
        assertThatThrownBy(() -> settings.audit(-1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void snapshot_sourcesChangedLater_staysAsItWas() {
        Map<String, String> rows = new HashMap<>(Map.of("light", "1/min"));
        Map<String, Map<String, String>> limits = new LinkedHashMap<>(Map.of("agent", rows));

        settings.apply(new SettingsChange.PutDefaults("root", NOW, limits));
        rows.put("light", "2/min");
        limits.clear();

        assertThat(settings.current().defaults()).isEqualTo(Map.of("agent", Map.of("light", "1/min")));
        assertThatThrownBy(() -> settings.current().defaults().clear())
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> settings.current().defaults().get("agent").clear())
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void apply_tooMany_isRefusedAndChangesNothing() {
        Set<String> many = IntStream.range(0, 10_000).mapToObj(i -> "a" + i).collect(Collectors.toSet());
        settings.apply(new SettingsChange.ReplaceExempt("root", NOW, "agent", many));

        assertThatThrownBy(() -> settings.apply(exempt("one more")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("10001 exempt values")
                .hasMessageContaining("at most 10000");
        assertThat(settings.current().version()).isEqualTo(1);
    }

    @Test
    void change_namesTooLongOrEmpty_areRefused() {
        assertThatThrownBy(() -> new Subject("", "x")).hasMessageContaining("attribute has 0 characters");
        assertThatThrownBy(() -> new Subject("agent", "x".repeat(1_025))).hasMessageContaining("1025");
        assertThatThrownBy(() -> new SettingsChange.PutDefaults("", NOW, Map.of()))
                .hasMessageContaining("who");
        assertThatThrownBy(() -> new SettingsChange.PutDefaults("w", NOW, Map.of("l", Map.of("r", ""))))
                .hasMessageContaining("rate");
        assertThatThrownBy(() -> new Subject("\uD800", "x")).hasMessageContaining("surrogate");
        assertThatThrownBy(() -> new SettingsChange.ResetBudgets("w", NOW, Map.of("user", "x".repeat(8_193))))
                .hasMessageContaining("attribute 'user' has 8193 characters");
        assertThat(new SettingsChange.ResetBudgets("w", NOW, Map.of("user", "alice")).toString())
                .doesNotContain("alice");
        assertThat(new Subject("user", "alice@example.org").toString()).doesNotContain("alice");
    }

    private static SettingsChange exempt(String agent) {
        return new SettingsChange.AddExempt("root", NOW, new Subject("agent", agent));
    }
}
