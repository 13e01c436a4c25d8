package dev.weir.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.spi.settings.AuditEntry;
import dev.weir.spi.settings.Settings;
import dev.weir.spi.settings.SettingsChange;
import dev.weir.spi.settings.SettingsSnapshot;
import dev.weir.spi.settings.Subject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The contract of settings that several nodes share: a change on one node soon reaches every other, and no change is
 * lost.
 */
public abstract class SharedSettingsContract {
    protected Settings here;
    protected Settings there;

    private static final Duration LONG = Duration.ofSeconds(90);

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();

    /** The settings of another node; pass them and their resources to {@link #closing}. */
    protected abstract Settings newNode();

    /** Closes a resource after the test, before the resources that were passed earlier. */
    protected final <T extends AutoCloseable> T closing(T one) {
        opened.push(one);
        return one;
    }

    protected static SettingsChange exempt(String agent) {
        return new SettingsChange.AddExempt("test", Instant.EPOCH, new Subject("agent", agent));
    }

    @BeforeEach
    void openNodes() {
        here = newNode();
        there = newNode();
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable one : opened) {
            one.close();
        }
    }

    @Test
    void apply_onOneNode_reachesTheOther() {
        SettingsSnapshot after = here.apply(exempt("a"));
        assertThat(after.version()).isEqualTo(1);
        assertThat(here.current()).isEqualTo(after);
        await().atMost(LONG).until(() -> there.current().isExempt("agent", "a"));
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
        await().atMost(LONG).until(() -> here.current().version() == 24 && told.contains(24L));
        assertThat(there.current().version())
                .as("who is told of a change has it")
                .isEqualTo(24);
        assertThat(here.current().exempt().get("agent")).hasSize(24);
        assertThat(told).isSorted().doesNotHaveDuplicates().endsWith(24L);
        assertThat(here.audit(100)).hasSize(24);
        assertThat(here.audit(2)).extracting(AuditEntry::version).containsExactly(24L, 23L);
    }

    @Test
    void newNode_laterOn_findsWhatWasAcknowledged() {
        here.apply(exempt("a"));
        there.apply(new SettingsChange.PutOverride(
                "admin", Instant.EPOCH, new Subject("agent", "b"), Map.of("agent", Map.of("light", "500/min"))));
        here.apply(exempt("\uD800 odd \0"));
        SettingsSnapshot kept = newNode().current();
        assertThat(kept).isEqualTo(here.current());
        assertThat(kept.version()).isEqualTo(3);
        assertThat(kept.isExempt("agent", "a")).isTrue();
        assertThat(kept.isExempt("agent", "\uD800 odd \0")).isTrue();
        assertThat(kept.overrides()).hasSize(1);
    }

    @Test
    void apply_fromAListener_isMisuseAndHarmsNobody() {
        here.onChange(snapshot -> here.apply(exempt("more")));
        assertThat(here.apply(exempt("a")).version()).isEqualTo(1);
        assertThat(here.current().version()).isEqualTo(1);
    }
}
