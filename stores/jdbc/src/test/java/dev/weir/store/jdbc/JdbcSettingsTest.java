package dev.weir.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.engine.settings.Settings;
import dev.weir.engine.settings.SettingsChange;
import dev.weir.engine.settings.SettingsSnapshot;
import dev.weir.engine.settings.Subject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class JdbcSettingsTest {
    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

    private static SettingsChange exempt(String agent) {
        return new SettingsChange.AddExempt("admin", NOON, new Subject("agent", agent));
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void aChange_reachesTheOtherNodes_inOrder(Kind kind) {
        try (Kind.Site site = kind.newSite()) {
            JdbcBackend here = site.node();
            JdbcBackend there = site.node();
            List<Long> heard = Collections.synchronizedList(new ArrayList<>());
            there.settings().onChange(snapshot -> heard.add(snapshot.version()));
            here.settings().apply(exempt("a"));
            SettingsSnapshot after = here.settings().apply(exempt("b"));
            assertThat(after.version()).isEqualTo(2);
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> there.settings().current().isExempt("agent", "b"));
            assertThat(heard).isSorted().endsWith(2L);
            assertThat(there.settings().audit(10)).hasSize(2);
            close(here);
            close(there);
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void changesByTwoNodes_areBothKept_andSurviveARestart(Kind kind) {
        try (Kind.Site site = kind.newSite()) {
            JdbcBackend here = site.node();
            JdbcBackend there = site.node();
            Settings first = here.settings();
            Settings second = there.settings();
            first.apply(exempt("a"));
            second.apply(new SettingsChange.PutOverride(
                    "admin", NOON, new Subject("agent", "b"), Map.of("agent", Map.of("light", "500/min"))));
            first.apply(exempt("\uD800 odd \0"));
            close(here);
            close(there);
            JdbcBackend again = site.node();
            SettingsSnapshot kept = again.settings().current();
            assertThat(kept.version()).isEqualTo(3);
            assertThat(kept.isExempt("agent", "a")).isTrue();
            assertThat(kept.isExempt("agent", "\uD800 odd \0")).isTrue();
            assertThat(kept.overrides()).hasSize(1);
            assertThat(again.settings().audit(2)).hasSize(2);
            close(again);
        }
    }

    private static void close(JdbcBackend backend) {
        backend.settings().close();
        backend.store().close();
    }
}
