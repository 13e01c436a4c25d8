package dev.weir.engine.metric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.engine.Request;
import dev.weir.engine.Weir;
import dev.weir.engine.config.Configuration;
import dev.weir.engine.config.ConfigurationReader;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class WeirMetersTest {
    private final Weir weir = Weir.inMemory(configuration("""
            limits:
              - { name: a, per: [user], rate: 3/hour, warn: 60% }
              - { name: b, per: [], rate: 2/hour, shadow: true }
            """));
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private static Configuration configuration(String yaml) {
        return new ConfigurationReader(name -> null).read("test.yaml", yaml).orThrow();
    }

    private double counted(String name, String... tags) {
        return registry.get(name).tags(tags).functionCounter().count();
    }

    @Test
    void decisions_areCountedByLimitAndOutcome() {
        WeirMeters meters = new WeirMeters(weir);
        meters.bindTo(registry);
        for (int i = 0; i < 5; i++) {
            weir.check(Map.of("user", "alice"));
        }
        weir.check(new Request(Map.of("user", "bob"), 9, Map.of()));
        assertThat(counted("weir.checks", "limit", "a", "outcome", "allowed")).isEqualTo(3);
        assertThat(counted("weir.checks", "limit", "a", "outcome", "denied")).isEqualTo(3);
        assertThat(counted("weir.checks", "limit", "b", "outcome", "allowed")).isEqualTo(2);
        assertThat(counted("weir.checks", "limit", "b", "outcome", "shadow_denied"))
                .isEqualTo(1);
        assertThat(counted("weir.decisions", "outcome", "allowed")).isEqualTo(3);
        assertThat(counted("weir.decisions", "outcome", "limited")).isEqualTo(2);
        assertThat(counted("weir.decisions", "outcome", "impossible")).isEqualTo(1);
        assertThat(counted("weir.denials", "limit", "a", "reason", "limited")).isEqualTo(2);
        assertThat(counted("weir.denials", "limit", "a", "reason", "impossible"))
                .isEqualTo(1);
        assertThat(counted("weir.denials", "limit", "a", "reason", "unavailable"))
                .isZero();
        assertThat(counted("weir.decisions", "outcome", "not-limited")).isZero();
        assertThat(counted("weir.decisions", "outcome", "exempt")).isZero();
        assertThat(counted("weir.warnings", "limit", "a")).isEqualTo(1);
        assertThat(registry.get("weir.denied.share").gauge().value()).isEqualTo(0.5, within(1e-9));
    }

    @Test
    void store_isTimedAndItsEntriesAreShown() {
        new WeirMeters(weir).bindTo(registry);
        for (int i = 0; i < 7; i++) {
            weir.check(Map.of("user", "user-" + i));
        }
        assertThat(registry.get("weir.store.call")
                        .tags("call", "consume", "outcome", "answered")
                        .timer()
                        .count())
                .isEqualTo(14);
        assertThat(registry.get("weir.store.call")
                        .tags("call", "consume", "outcome", "answered")
                        .timer()
                        .totalTime(TimeUnit.NANOSECONDS))
                .isPositive();
        assertThat(registry.get("weir.store.entries").gauge().value()).isEqualTo(8);
        assertThat(counted("weir.store.swept")).isZero();
        assertThat(counted("weir.store.sweeps")).isNotNegative();
        assertThat(registry.get("weir.store.given.up").gauge().value()).isZero();
        weir.close();
        for (int i = 0; i < 5; i++) {
            assertThat(weir.check(Map.of("user", "u")).allowed()).isFalse();
        }
        assertThat(registry.get("weir.store.given.up").gauge().value()).isEqualTo(1);
        assertThat(registry.get("weir.store.call")
                        .tags("call", "consume", "outcome", "failed")
                        .timer()
                        .count())
                .isEqualTo(5);
    }

    @Test
    void labels_areNeverKeys() {
        new WeirMeters(weir).bindTo(registry);
        int before = registry.getMeters().size();
        for (int i = 0; i < 1000; i++) {
            weir.check(Map.of("user", "alice-" + i, "path", "/secret/" + i));
        }
        assertThat(registry.getMeters()).hasSize(before);
        Set<String> labels = registry.getMeters().stream()
                .map(Meter::getId)
                .flatMap(id -> id.getTags().stream())
                .map(tag -> tag.getKey() + "=" + tag.getValue())
                .collect(Collectors.toSet());
        assertThat(labels).noneMatch(label -> label.contains("alice") || label.contains("secret"));
    }

    @Test
    void limitsThatComeWithAReload_areThereAfterARefresh() {
        WeirMeters meters = new WeirMeters(weir);
        meters.bindTo(registry);
        weir.reconfigure(configuration("limits: [{ name: c, per: [user], rate: 3/hour }]\n"));
        weir.check(Map.of("user", "u"));
        meters.refresh();
        assertThat(counted("weir.checks", "limit", "c", "outcome", "allowed")).isEqualTo(1);
        assertThat(counted("weir.checks", "limit", "a", "outcome", "allowed")).isZero();
    }

    @Test
    void events_areCounted() {
        new WeirMeters(weir).bindTo(registry);
        weir.events().subscribe("test", 1, event -> {});
        weir.check(Map.of("user", "u"));
        assertThat(counted("weir.events.published")).isEqualTo(1);
    }

    @Test
    void deniedShare_isThatOfTheLastMinute() {
        AtomicLong now = new AtomicLong();
        DeniedShareMeter share = new DeniedShareMeter(weir.counts(), now::get);
        assertThat(share.value()).isZero();
        for (int i = 0; i < 6; i++) {
            weir.check(Map.of("user", "u"));
        }
        assertThat(share.value()).isEqualTo(0.5, within(1e-9));
        for (int second = 0; second < 70; second++) {
            now.addAndGet(TimeUnit.SECONDS.toNanos(1));
            share.value();
        }
        assertThat(share.value()).as("long ago").isZero();
        weir.check(Map.of("user", "v"));
        assertThat(share.value()).isZero();
        weir.check(Map.of("user", "u"));
        assertThat(share.value()).isEqualTo(0.5, within(1e-9));
    }
}
