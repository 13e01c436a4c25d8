package dev.weir.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.spi.settings.AuditEntry;
import dev.weir.spi.settings.Settings;
import dev.weir.spi.settings.SettingsChange;
import dev.weir.spi.settings.SettingsSnapshot;
import dev.weir.spi.settings.Subject;
import dev.weir.spi.settings.Validity;
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
    void endsAndReasons_areKept_andEndOnlyWhatIsOver() {
        Instant end = Instant.parse("2030-01-02T03:04:05.678Z");
        Validity validity = new Validity(end, "raised for the launch");
        Subject rated = new Subject("agent", "b");
        Subject exempt = new Subject("agent", "a");
        here.apply(new SettingsChange.PutOverride(
                "admin", Instant.EPOCH, rated, Map.of("agent", Map.of("light", "500/min")), validity));
        here.apply(new SettingsChange.AddExempt("admin", Instant.EPOCH, exempt, validity));
        SettingsSnapshot kept = newNode().current();
        assertThat(kept).isEqualTo(here.current());
        assertThat(kept.overrideValidity()).containsExactly(Map.entry(rated, validity));
        assertThat(kept.exemptValidity()).containsExactly(Map.entry(exempt, validity));
        here.apply(new SettingsChange.ExpireOverride("weir", end.minusMillis(1), rated));
        here.apply(new SettingsChange.ExpireExempt("weir", end.minusMillis(1), exempt));
        assertThat(here.current().overrides()).containsKey(rated);
        assertThat(here.current().isExempt("agent", "a")).isTrue();
        here.apply(new SettingsChange.ExpireOverride("weir", end, rated));
        here.apply(new SettingsChange.ExpireExempt("weir", end, exempt));
        SettingsSnapshot after = newNode().current();
        assertThat(after.overrides()).isEmpty();
        assertThat(after.exempt()).isEmpty();
        assertThat(after.exemptValidity()).isEmpty();
        assertThat(here.audit(10))
                .extracting(entry -> entry.change().validity())
                .containsExactly(
                        Validity.UNLIMITED,
                        Validity.UNLIMITED,
                        Validity.UNLIMITED,
                        Validity.UNLIMITED,
                        validity,
                        validity);
    }

    @Test
    void apply_fromAListener_isMisuseAndHarmsNobody() {
        here.onChange(snapshot -> here.apply(exempt("more")));
        assertThat(here.apply(exempt("a")).version()).isEqualTo(1);
        assertThat(here.current().version()).isEqualTo(1);
    }
}
