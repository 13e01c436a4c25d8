package dev.weir.store.redis;

import static java.util.Comparator.naturalOrder;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.engine.settings.JsonSettingsFormat;
import dev.weir.spi.settings.AuditEntry;
import dev.weir.spi.settings.Settings;
import dev.weir.spi.settings.SettingsException;
import dev.weir.spi.settings.SettingsSnapshot;
import dev.weir.store.scripted.KeyNames;
import dev.weir.testkit.engine.SharedSettingsContract;
import io.lettuce.core.ScriptOutputType;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("io")
class RedisSettingsTest extends SharedSettingsContract {
    private final RedisStoreOptions options = SharedRedis.options();
    private final RedisStore store = closing(RedisStore.open(options));

    @Override
    protected Settings newNode() {
        return closing(RedisSettings.open(closing(RedisStore.open(options)), new JsonSettingsFormat()));
    }

    /** By looks alone each change would take as long as it is from one look to the next, which is three seconds. */
    @Test
    void apply_onOneNode_isPushedToTheOther() {
        arrival("first");
        Duration fastest = IntStream.range(0, 10)
                .mapToObj(i -> arrival("a" + i))
                .min(naturalOrder())
                .orElseThrow();
        assertThat(fastest).isLessThan(Duration.ofSeconds(1));
    }

    private Duration arrival(String agent) {
        long begun = System.nanoTime();
        here.apply(exempt(agent));
        await().pollInterval(Duration.ofMillis(5)).until(() -> there.current().isExempt("agent", agent));
        return Duration.ofNanos(System.nanoTime() - begun);
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
                        new JsonSettingsFormat().write(next),
                        new JsonSettingsFormat().write(new AuditEntry(1, exempt("quiet"))),
                        bytes("10"),
                        bytes("a channel on which nobody listens")));
        assertThat(made).isEqualTo(1);
        await().until(() -> there.current().isExempt("agent", "quiet"));
    }

    @Test
    void current_whenTheDocumentIsDamaged_staysAsItWas() {
        here.apply(exempt("good"));
        await().until(() -> there.current().isExempt("agent", "good"));
        RedisUnderTest.await(store.link().commands().set(bytes(store.names().settings("document")), bytes("rubbish")));
        RedisUnderTest.await(store.link().commands().set(bytes(store.names().settings("version")), bytes("9")));
        assertThatThrownBy(() -> RedisSettings.open(store, new JsonSettingsFormat()))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("sdocument");
        RedisUnderTest.await(store.link().commands().publish(bytes(store.names().settings("changed")), bytes("9")));
        assertThatThrownBy(() -> here.apply(exempt("b"))).isInstanceOf(SettingsException.class);
        assertThat(there.current().isExempt("agent", "good")).isTrue();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
