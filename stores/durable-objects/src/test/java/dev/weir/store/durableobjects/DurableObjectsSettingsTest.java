package dev.weir.store.durableobjects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.engine.settings.Settings;
import dev.weir.engine.settings.SettingsChange;
import dev.weir.engine.settings.SettingsException;
import dev.weir.testkit.engine.SharedSettingsContract;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DurableObjectsSettingsTest extends SharedSettingsContract {
    private final DurableObjectsStoreOptions options = SharedWorker.options();
    private final DurableObjectsStore store = DurableObjectsStore.open(options);
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();

    @Override
    protected Settings newNode() {
        DurableObjectsStore own = DurableObjectsStore.open(options);
        DurableObjectsSettings settings = DurableObjectsSettings.open(own);
        opened.push(own);
        opened.push(settings);
        return settings;
    }

    @Override
    protected void closeNodes() throws Exception {
        for (AutoCloseable one : opened) {
            one.close();
        }
        store.close();
    }

    @Test
    void current_whenTheDocumentIsDamaged_staysAsItWas() {
        here.apply(exempt("good"));
        await().atMost(Duration.ofSeconds(10)).until(() -> there.current().isExempt("agent", "good"));
        byte[] damaged =
                new Body().framed(bytes("rubbish")).framed(bytes("rubbish")).bytes();
        assertThat(store.worker()
                        .put("/v1/settings/" + options.prefix(), 1, damaged, Duration.ofSeconds(5))
                        .join()
                        .statusCode())
                .isEqualTo(204);
        assertThatThrownBy(() -> DurableObjectsSettings.open(store))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("/v1/settings/" + options.prefix());
        assertThatThrownBy(() -> here.apply(exempt("b"))).isInstanceOf(SettingsException.class);
        assertThat(there.current().isExempt("agent", "good")).isTrue();
    }

    @Test
    void apply_ofADocumentOfMegabytes_isKeptWhole() {
        String reason = "x".repeat(200);
        for (int i = 0; i < 4; i++) {
            List<String> many = IntStream.range(i * 2_000, i * 2_000 + 2_000)
                    .mapToObj(n -> n + reason)
                    .toList();
            here.apply(new SettingsChange.ReplaceExempt("test", Instant.EPOCH, "agent" + i, new LinkedHashSet<>(many)));
        }
        assertThat(newNode().current()).isEqualTo(here.current());
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
