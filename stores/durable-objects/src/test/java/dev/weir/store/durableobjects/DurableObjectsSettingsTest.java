package dev.weir.store.durableobjects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.engine.settings.AuditEntry;
import dev.weir.engine.settings.SettingsChange;
import dev.weir.engine.settings.SettingsException;
import dev.weir.engine.settings.SettingsSnapshot;
import dev.weir.engine.settings.Subject;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DurableObjectsSettingsTest {
    private final DurableObjectsStoreOptions options = SharedWorker.options();
    private final DurableObjectsStore store = DurableObjectsStore.open(options);
    private final DurableObjectsStore otherStore = DurableObjectsStore.open(options);
    private final DurableObjectsSettings here = DurableObjectsSettings.open(store);
    private final DurableObjectsSettings there = DurableObjectsSettings.open(otherStore);

    @AfterEach
    void close() {
        here.close();
        there.close();
        store.close();
        otherStore.close();
    }

    @Test
    void apply_onOneNode_reachesTheOtherBeforeItLooks() {
        SettingsSnapshot after = here.apply(exempt("a"));
        assertThat(after.version()).isEqualTo(1);
        assertThat(here.current()).isEqualTo(after);
        await().atMost(Duration.ofSeconds(10)).until(() -> there.current().isExempt("agent", "a"));
        assertThat(there.audit(10)).extracting(AuditEntry::version).containsExactly(1L);
    }

    @Test
    void apply_fromManyThreadsOnBothNodes_losesNothingAndTellsInOrder() {
        List<Long> told = Collections.synchronizedList(new ArrayList<>());
        there.onChange(snapshot -> told.add(snapshot.version()));
        List<CompletableFuture<Void>> changes = IntStream.range(0, 24)
                .mapToObj(i -> CompletableFuture.runAsync(() -> (i % 2 == 0 ? here : there).apply(exempt("x" + i))))
                .toList();
        changes.forEach(CompletableFuture::join);
        await().atMost(Duration.ofSeconds(5))
                .until(() -> here.current().version() == 24 && there.current().version() == 24);
        assertThat(here.current().exempt().get("agent")).hasSize(24);
        assertThat(told).isSorted().doesNotHaveDuplicates().endsWith(24L);
        assertThat(here.audit(100)).hasSize(24);
        assertThat(here.audit(2)).extracting(AuditEntry::version).containsExactly(24L, 23L);
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
            here.apply(new SettingsChange.ReplaceExempt(
                    "test", Instant.EPOCH, "agent" + i, new java.util.LinkedHashSet<>(many)));
        }
        try (DurableObjectsSettings later = DurableObjectsSettings.open(store)) {
            assertThat(later.current()).isEqualTo(here.current());
        }
    }

    @Test
    void apply_fromAListener_isMisuseAndHarmsNobody() {
        here.onChange(snapshot -> here.apply(exempt("more")));
        assertThat(here.apply(exempt("a")).version()).isEqualTo(1);
        assertThat(here.current().version()).isEqualTo(1);
    }

    private static SettingsChange exempt(String agent) {
        return new SettingsChange.AddExempt("test", Instant.EPOCH, new Subject("agent", agent));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
