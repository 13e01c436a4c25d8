package dev.weir.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.engine.settings.AuditCodec;
import dev.weir.engine.settings.AuditEntry;
import dev.weir.engine.settings.SettingsChange;
import dev.weir.engine.settings.SettingsCodec;
import dev.weir.engine.settings.SettingsException;
import dev.weir.engine.settings.SettingsSnapshot;
import dev.weir.engine.settings.Subject;
import dev.weir.store.scripted.KeyNames;
import io.lettuce.core.ScriptOutputType;
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

class RedisSettingsTest {
    private final RedisStoreOptions options = SharedRedis.options();
    private final RedisStore store = RedisStore.open(options);
    private final RedisStore otherStore = RedisStore.open(options);
    private final RedisSettings here = RedisSettings.open(store);
    private final RedisSettings there = RedisSettings.open(otherStore);

    @AfterEach
    void close() {
        here.close();
        there.close();
        store.close();
        otherStore.close();
    }

    @Test
    void apply_onOneNode_reachesTheOtherWithinASecond() {
        SettingsSnapshot after = here.apply(exempt("a"));
        assertThat(after.version()).isEqualTo(1);
        assertThat(here.current()).isEqualTo(after);
        await().atMost(Duration.ofSeconds(1)).until(() -> there.current().isExempt("agent", "a"));
        assertThat(there.audit(10)).extracting(AuditEntry::version).containsExactly(1L);
    }

    @Test
    void apply_whosePushIsLost_isFoundByTheNextLook() {
        SettingsSnapshot next = here.current().with(exempt("quiet"));
        KeyNames names = store.names();
        Long made = RedisUnderTest.await(store.link()
                .run(
                        Script.SETTINGS,
                        ScriptOutputType.INTEGER,
                        new byte[][] {
                            bytes(names.settings("document")),
                            bytes(names.settings("version")),
                            bytes(names.settings("changes"))
                        },
                        bytes("0"),
                        SettingsCodec.encode(next),
                        AuditCodec.encode(new AuditEntry(1, exempt("quiet"))),
                        bytes("10"),
                        bytes("a channel on which nobody listens")));
        assertThat(made).isEqualTo(1);
        await().atMost(Duration.ofSeconds(5)).until(() -> there.current().isExempt("agent", "quiet"));
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
        await().atMost(Duration.ofSeconds(1)).until(() -> there.current().isExempt("agent", "good"));
        RedisUnderTest.await(store.link().commands().set(bytes(store.names().settings("document")), bytes("rubbish")));
        RedisUnderTest.await(store.link().commands().set(bytes(store.names().settings("version")), bytes("9")));
        assertThatThrownBy(() -> RedisSettings.open(store))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("sdocument");
        RedisUnderTest.await(store.link().commands().publish(bytes(store.names().settings("changed")), bytes("9")));
        assertThatThrownBy(() -> here.apply(exempt("b"))).isInstanceOf(SettingsException.class);
        assertThat(there.current().isExempt("agent", "good")).isTrue();
    }

    @Test
    void open_laterOn_findsWhatWasAcknowledged() {
        here.apply(exempt("kept"));
        try (RedisSettings later = RedisSettings.open(store)) {
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
