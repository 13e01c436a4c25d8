package dev.weir.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.engine.Weir;
import dev.weir.engine.config.Configuration;
import dev.weir.engine.config.ConfigurationReader;
import dev.weir.engine.settings.InMemorySettings;
import dev.weir.memory.MemoryStore;
import dev.weir.server.envoy.RateLimitQuery.Descriptor;
import dev.weir.server.envoy.RateLimitQuery.Entry;
import dev.weir.server.envoy.RateLimitQuery.Unit;
import dev.weir.server.envoy.RateLimitReply.CurrentLimit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Descriptors decided by Weir's own configuration. */
class AttributeDecisionsTest {
    private static final String YAML = """
            version: 1
            limits:
              - { name: users, match: { domain: shop }, per: [user], rate: 3/min, algorithm: fixed-window }
              - { name: plans, match: { domain: shop, descriptor: "plan,user" }, per: [plan], rate: 2/90s, algorithm: fixed-window }
              - { name: second, match: { generic_key.2: b }, per: [], rate: 1/hour }
              - { name: watched, match: { user: eve }, per: [user], rate: 1/hour, shadow: true }
            """;

    @Test
    void entriesAndDomain_areAttributes_andEveryLimitThatMatchesApplies() {
        try (Weir weir = weir("")) {
            RateLimitDecisions decisions = decisions(weir);

            RateLimitReply reply = decisions
                    .decide(query(
                            "shop", descriptor(null, "plan", "free", "user", "ann"), descriptor(null, "user", "bob")))
                    .await();

            assertThat(reply.allowed()).isTrue();
            assertThat(reply.statuses().get(0).limit()).isEqualTo(new CurrentLimit(2, null, "plans"));
            assertThat(reply.statuses().get(0).remaining()).isEqualTo(1);
            assertThat(reply.statuses().get(1).limit()).isEqualTo(new CurrentLimit(3, Unit.MINUTE, "users"));
            assertThat(decisions
                            .decide(query("other", descriptor(null, "user", "ann")))
                            .await()
                            .statuses()
                            .get(0)
                            .limit())
                    .isNull();
        }
    }

    @Test
    void refusedRequest_spendsNothing_alsoOfOtherDescriptors() {
        try (Weir weir = weir("")) {
            RateLimitDecisions decisions = decisions(weir);
            RateLimitQuery both =
                    query("shop", descriptor(null, "user", "ann"), descriptor(null, "plan", "free", "user", "bob"));
            decisions.decide(both).await();
            decisions.decide(both).await();

            RateLimitReply refused = decisions.decide(both).await();

            assertThat(refused.allowed()).isFalse();
            assertThat(refused.statuses())
                    .extracting(RateLimitReply.DescriptorStatus::allowed)
                    .containsExactly(true, false);
            assertThat(refused.statuses().get(0).remaining()).isEqualTo(1);
        }
    }

    @Test
    void repeatedKey_hasANumber_andALookSpendsNothing() {
        try (Weir weir = weir("")) {
            RateLimitDecisions decisions = decisions(weir);
            for (int i = 0; i < 3; i++) {
                assertThat(decisions
                                .decide(query("x", descriptor(0L, "generic_key", "a", "generic_key", "b")))
                                .await()
                                .statuses()
                                .get(0)
                                .remaining())
                        .isEqualTo(1);
            }
            assertThat(decisions
                            .decide(query("x", descriptor(null, "generic_key", "a", "generic_key", "b")))
                            .await()
                            .statuses()
                            .get(0)
                            .remaining())
                    .isZero();
        }
    }

    @Test
    void storeThatDoesNotAnswer_isDecidedByTheFailurePolicy() {
        for (boolean allows : List.of(true, false)) {
            MemoryStore store = MemoryStore.create();
            store.close();
            Weir weir = Weir.of(configuration(allows ? "on-store-failure: allow" : ""), store, new InMemorySettings());

            RateLimitReply reply = decisions(weir)
                    .decide(query("shop", descriptor(null, "user", "ann")))
                    .await();

            assertThat(reply.allowed()).isEqualTo(allows);
            assertThat(reply.statuses())
                    .singleElement()
                    .satisfies(status -> assertThat(status.allowed()).isEqualTo(allows));
        }
    }

    @Test
    void tooManyEntries_areAnInvalidArgument() {
        try (Weir weir = weir("")) {
            List<Entry> many = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                many.add(new Entry("k" + i, "v"));
            }
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> decisions(weir)
                            .decide(new RateLimitQuery("d", List.of(new Descriptor(many, null, null)), 1)));
            assertThat(decisions(weir)
                            .decide(new RateLimitQuery(
                                    "d", Collections.nCopies(3, descriptor(null, "unknown", "v")), 1))
                            .await()
                            .allowed())
                    .isTrue();
        }
    }

    private static Weir weir(String more) {
        return Weir.inMemory(configuration(more));
    }

    private static Configuration configuration(String more) {
        return new ConfigurationReader(name -> null)
                .read("weir.yaml", YAML + more)
                .orThrow();
    }

    private static RateLimitDecisions decisions(Weir weir) {
        return EnvoyService.byAttributes(weir, ReplyOptions.DEFAULT).decisions();
    }

    private static RateLimitQuery query(String domain, Descriptor... descriptors) {
        return new RateLimitQuery(domain, List.of(descriptors), 1);
    }

    private static Descriptor descriptor(@Nullable Long hits, String... keysAndValues) {
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            entries.add(new Entry(keysAndValues[i], keysAndValues[i + 1]));
        }
        return new Descriptor(entries, null, hits);
    }
}
