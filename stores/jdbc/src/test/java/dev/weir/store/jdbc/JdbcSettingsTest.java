package dev.weir.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.settings.Settings;
import dev.weir.engine.settings.SettingsSnapshot;
import dev.weir.testkit.engine.SharedSettingsContract;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class JdbcSettingsTest {
    @Nested
    class OnSqlite extends SettingsOf {
        OnSqlite() {
            super(Kind.SQLITE);
        }
    }

    @Nested
    class OnPostgresql extends SettingsOf {
        OnPostgresql() {
            super(Kind.POSTGRESQL);
        }
    }

    private abstract static class SettingsOf extends SharedSettingsContract {
        private final Kind.Site site;
        private final Deque<JdbcBackend> nodes = new ArrayDeque<>();

        SettingsOf(Kind kind) {
            site = kind.newSite();
        }

        @Override
        protected Settings newNode() {
            nodes.push(site.node());
            return nodes.element().settings();
        }

        /** SQLite has no push. */
        @Override
        protected Duration soon() {
            return Duration.ofSeconds(20);
        }

        @Override
        protected void closeNodes() {
            stop();
            site.close();
        }

        @Test
        void newNode_afterAllWereStopped_findsWhatWasAcknowledged() {
            here.apply(exempt("a"));
            SettingsSnapshot last = there.apply(exempt("b"));
            stop();
            Settings again = newNode();
            assertThat(again.current()).isEqualTo(last);
            assertThat(again.audit(5)).hasSize(2);
        }

        private void stop() {
            while (!nodes.isEmpty()) {
                JdbcBackend node = nodes.pop();
                node.settings().close();
                node.store().close();
            }
        }
    }
}
