package dev.weir.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.StoreException;
import dev.weir.engine.Weir;
import dev.weir.engine.event.Event;
import dev.weir.engine.settings.InMemorySettings;
import dev.weir.memory.MemoryStore;
import dev.weir.server.envoy.EnvoyVectors.Running;
import dev.weir.server.envoy.RateLimitQuery.Descriptor;
import dev.weir.server.envoy.RateLimitQuery.Entry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Decisions by Envoy's files beside the vectors: what the engine sees, failures, hostile requests, reloads. */
class EnvoyDecisionsTest {
    private static final String SHOP = """
            domain: shop
            descriptors:
              - { key: user, rate_limit: { unit: day, requests_per_unit: 2 } }
              - { key: free, rate_limit: { unlimited: true } }
            """;

    @TempDir
    private Path directory;

    @Test
    void decisions_areCountedByTheEngine_andPublished() {
        try (Running running = EnvoyVectors.open(List.of(SHOP), ReplyOptions.DEFAULT)) {
            ConcurrentLinkedQueue<Event> events = new ConcurrentLinkedQueue<>();
            running.weir().events().subscribe("test", 100, events::add);
            for (int i = 0; i < 3; i++) {
                decide(running, "user", "ann");
            }
            decide(running, "free", "x");

            Weir weir = running.weir();
            assertThat(weir.counts().allowed()).isEqualTo(2);
            assertThat(weir.counts().limited()).isEqualTo(1);
            assertThat(weir.counts().notLimited()).isEqualTo(1);
            assertThat(weir.counts().of("shop.user").limited()).isEqualTo(1);
            await().untilAsserted(() -> assertThat(events)
                    .filteredOn(Event.Denied.class::isInstance)
                    .singleElement()
                    .isInstanceOfSatisfying(Event.Denied.class, denied -> {
                        assertThat(denied.limit()).isEqualTo("shop.user");
                        assertThat(denied.attributes())
                                .containsEntry("domain", "shop")
                                .containsEntry("descriptor", "user")
                                .containsEntry("entries", "user=ann");
                    }));
            assertThat(weir.reset(Map.of("entries", "user=ann"))).isPositive();
            assertThat(decide(running, "user", "ann").allowed()).isTrue();
        }
    }

    @Test
    void store_thatDoesNotAnswer_isAnError_asInTheOriginal() {
        Weir weir = Weir.of(
                EnvoyLimits.configuration(EnvoyVectors.configuration(List.of(SHOP)), "memory"),
                closedStore(),
                new InMemorySettings());
        EnvoyStatistics statistics = new EnvoyStatistics();
        EnvoyDecisions decisions = new EnvoyDecisions(
                weir, EnvoyVectors.configuration(List.of(SHOP)), ReplyOptions.DEFAULT, statistics, Clock.systemUTC());

        assertThatThrownBy(() -> decisions.decide(query("user", "ann")).await()).isInstanceOf(StoreException.class);

        assertThat(decisions.decide(query("free", "x")).await().allowed()).isTrue();
        assertThat(statistics.text())
                .contains("ratelimit_service_should_rate_limit_error{err_type=\"redis_error\"} 1\n");
    }

    private static MemoryStore closedStore() {
        MemoryStore store = MemoryStore.create();
        store.close();
        return store;
    }

    /** As TestServiceGlobalShadowMode of the original has it: the statuses stay, the overall code is OK. */
    @Test
    void shadowMode_ofAllLimits_changesTheOverallCodeOnly() {
        ReplyOptions shadow = ReplyOptions.of(false, Map.of("SHADOW_MODE", "true"));
        try (Running running = EnvoyVectors.open(List.of(SHOP), shadow)) {
            decide(running, "user", "ann");
            decide(running, "user", "ann");

            RateLimitReply reply = decide(running, "user", "ann");

            assertThat(reply.allowed()).isTrue();
            assertThat(reply.statuses()).singleElement().matches(status -> !status.allowed());
            assertThat(running.statistics().text())
                    .contains("ratelimit_service_global_shadow_mode 1\n")
                    .contains("over_limit{domain=\"shop\",key1=\"user\"} 1\n")
                    .contains("shadow_mode{domain=\"shop\",key1=\"user\"} 0\n");
        }
        assertThat(ReplyOptions.ofOwnConfiguration(Map.of("SHADOW_MODE", "true"))
                        .shadow())
                .isFalse();
    }

    @Test
    void hostileValues_makeShortKeys_thatStillDiffer() {
        try (Running running = EnvoyVectors.open(List.of(SHOP), ReplyOptions.DEFAULT)) {
            String huge = "x".repeat(1 << 20);
            assertThat(decide(running, "user", huge).statuses().get(0).remaining())
                    .isEqualTo(1);
            assertThat(decide(running, "user", huge).statuses().get(0).remaining())
                    .isZero();
            assertThat(decide(running, "user", huge + "y").statuses().get(0).remaining())
                    .isEqualTo(1);
            assertThat(EntriesText.of(List.of(new Entry("user", huge)))).hasSizeLessThan(200);
            Descriptor deep = new Descriptor(Collections.nCopies(10_000, new Entry("user", "a")), null, null);
            assertThat(running.decisions()
                            .decide(new RateLimitQuery("shop", List.of(deep), 1))
                            .await()
                            .allowed())
                    .isTrue();
            Descriptor negative = new Descriptor(List.of(new Entry("user", "b")), null, -1L);
            assertThat(running.decisions()
                            .decide(new RateLimitQuery("shop", List.of(negative), 1))
                            .await()
                            .allowed())
                    .isFalse();
        }
    }

    /** A store never forgets a policy, and clients choose these. */
    @Test
    void differentLimitsOfDescriptors_areBounded() {
        try (Running running = EnvoyVectors.open(List.of(SHOP), ReplyOptions.DEFAULT)) {
            for (int i = 1; i <= EnvoyDecisions.MOST_OVERRIDES; i++) {
                assertThat(override(running, i).allowed()).isTrue();
            }

            assertThatThrownBy(() -> override(running, EnvoyDecisions.MOST_OVERRIDES + 1))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("the limit of a descriptor is 10001 per DAY");
            assertThat(override(running, 7).statuses().get(0).remaining())
                    .as("a known one is still counted")
                    .isEqualTo(5);
        }
    }

    private static RateLimitReply override(Running running, long requests) {
        RateLimitQuery.Override limit = new RateLimitQuery.Override(requests, RateLimitQuery.Unit.DAY);
        return running.decisions()
                .decide(new RateLimitQuery(
                        "shop", List.of(new Descriptor(List.of(new Entry("user", "x")), limit, null)), 1))
                .await();
    }

    @Test
    void manyDescriptors_areDecidedTogether() {
        try (Running running = EnvoyVectors.open(List.of(SHOP), ReplyOptions.DEFAULT)) {
            List<Descriptor> many = IntStream.range(0, 1_000)
                    .mapToObj(i -> new Descriptor(List.of(new Entry("user", "u" + i)), null, null))
                    .toList();

            RateLimitReply reply = running.decisions()
                    .decide(new RateLimitQuery("shop", many, 1))
                    .await();

            assertThat(reply.statuses()).hasSize(1_000).allMatch(status -> status.remaining() == 1);
        }
    }

    @Test
    void reload_keepsCounts_andADecisionInBetweenGetsTheNewLimits() {
        try (Running running = EnvoyVectors.open(List.of(SHOP), ReplyOptions.DEFAULT)) {
            decide(running, "user", "ann");

            running.replace(
                    EnvoyVectors.configuration(List.of(SHOP.replace("requests_per_unit: 2", "requests_per_unit: 5"))));

            assertThat(decide(running, "user", "ann").statuses().get(0).remaining())
                    .isEqualTo(3);
            running.weir()
                    .reconfigure(EnvoyLimits.configuration(EnvoyVectors.configuration(List.of("domain: x")), "memory"));
            assertThatThrownBy(() -> decide(running, "user", "ann"))
                    .as("the engine lost the limit, and no reload is under way")
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void files_thatChange_areReloaded_andThoseWithFaultsAreNot() throws IOException {
        Path file = Files.writeString(directory.resolve("shop.yaml"), SHOP);
        EnvoyService.Loaded loaded = EnvoyService.load(directory);
        assertThat(loaded.summary()).endsWith("2 limits in 1 domain");
        try (Weir weir = Weir.inMemory(loaded.configuration("memory"));
                EnvoyService service = loaded.serve(weir, ReplyOptions.DEFAULT, Clock.systemUTC())) {
            assertThat(requests(service)).isEqualTo(2);

            Files.writeString(file, SHOP.replace("requests_per_unit: 2", "requests_per_unit: 7"));
            await().untilAsserted(() -> assertThat(requests(service)).isEqualTo(7));

            Files.writeString(file, SHOP.replace("unit: day", "unit: eon"));
            assertThat(service.reload())
                    .singleElement()
                    .satisfies(fault -> assertThat(fault.toString())
                            .startsWith(file + ":3:38: unit is 'eon'; it must be one of second,"));
            assertThat(requests(service)).isEqualTo(7);
            assertThat(service.metricsText()).contains("ratelimit_service_config_load_error 1\n");
            assertThat(service.decisions().configurationText())
                    .contains("shop.user: unit=DAY requests_per_unit=7, shadow_mode: false, quota_mode: false\n");
        }
    }

    private static long requests(EnvoyService service) {
        RateLimitReply reply = service.decisions()
                .decide(new RateLimitQuery(
                        "shop", List.of(new Descriptor(List.of(new Entry("user", "ann")), null, 0L)), 1))
                .await();
        return Objects.requireNonNull(reply.statuses().get(0).limit()).requestsPerUnit();
    }

    private static RateLimitReply decide(Running running, String key, String value) {
        return running.decisions().decide(query(key, value)).await();
    }

    private static RateLimitQuery query(String key, String value) {
        return new RateLimitQuery("shop", List.of(new Descriptor(List.of(new Entry(key, value)), null, null)), 1);
    }
}
