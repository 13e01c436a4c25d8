package dev.weir.store.durableobjects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.engine.settings.JsonSettingsFormat;
import dev.weir.spi.settings.Settings;
import dev.weir.spi.settings.SettingsChange;
import dev.weir.spi.settings.SettingsException;
import dev.weir.testkit.engine.SharedSettingsContract;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("io")
class DurableObjectsSettingsTest extends SharedSettingsContract {
    private final DurableObjectsStoreOptions options = SharedWorker.options();
    private final DurableObjectsStore store = closing(DurableObjectsStore.open(options));

    @Override
    protected Settings newNode() {
        return closing(SettingsObject.open(closing(DurableObjectsStore.open(options)), new JsonSettingsFormat()));
    }

    @Test
    void current_whenTheDocumentIsDamaged_staysAsItWas() {
        here.apply(exempt("good"));
        await().until(() -> there.current().isExempt("agent", "good"));
        byte[] damaged = new WorkerPayload()
                .framed(bytes("rubbish"))
                .framed(bytes("rubbish"))
                .bytes();
        assertThat(store.worker()
                        .put("/v1/settings/" + options.prefix(), 1, damaged, Duration.ofSeconds(5))
                        .join()
                        .statusCode())
                .isEqualTo(204);
        assertThatThrownBy(() -> SettingsObject.open(store, new JsonSettingsFormat()))
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
