package dev.weir.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.settings.JsonSettingsFormat;
import dev.weir.spi.settings.Settings;
import dev.weir.spi.settings.SettingsChange;
import dev.weir.spi.settings.SettingsSnapshot;
import dev.weir.spi.settings.Subject;
import dev.weir.testkit.engine.SharedSettingsContract;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("io")
class JdbcSettingsTest {
    @Nested
    class OnSqlite extends SettingsOf {
        OnSqlite() {
            super(DatabaseKind.SQLITE);
        }
    }

    @Nested
    class OnPostgresql extends SettingsOf {
        OnPostgresql() {
            super(DatabaseKind.POSTGRESQL);
        }
    }

    private abstract static class SettingsOf extends SharedSettingsContract {
        private final DatabaseKind.Site site;
        private final List<JdbcBackend> nodes = new ArrayList<>();

        SettingsOf(DatabaseKind kind) {
            site = closing(kind.newSite());
        }

        @Override
        protected Settings newNode() {
            JdbcBackend node = site.node();
            nodes.add(node);
            closing(node.store());
            return closing(node.settings(new JsonSettingsFormat()));
        }

        @Test
        void newNode_afterAllWereStopped_findsWhatWasAcknowledged() {
            here.apply(exempt("a"));
            there.apply(new SettingsChange.PutOverride(
                    "admin", Instant.EPOCH, new Subject("agent", "b"), Map.of("agent", Map.of("light", "500/min"))));
            SettingsSnapshot last = here.apply(exempt("\uD800 odd \0"));
            for (JdbcBackend node : nodes) {
                node.settings(new JsonSettingsFormat()).close();
                node.store().close();
            }
            Settings again = newNode();
            assertThat(again.current()).isEqualTo(last);
            assertThat(last.version()).isEqualTo(3);
            assertThat(last.isExempt("agent", "\uD800 odd \0")).isTrue();
            assertThat(last.overrides()).hasSize(1);
            assertThat(again.audit(2)).hasSize(2);
        }
    }
}
