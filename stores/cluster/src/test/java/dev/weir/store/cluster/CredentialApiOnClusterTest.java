package dev.weir.store.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.engine.Outcome;
import dev.weir.engine.Reason;
import dev.weir.engine.Weir;
import dev.weir.engine.WeirOptions;
import dev.weir.engine.config.ConfigurationReader;
import dev.weir.engine.guard.GuardOptions;
import dev.weir.spi.settings.AuditEntry;
import dev.weir.spi.settings.SettingsChange;
import dev.weir.spi.settings.SettingsSnapshot;
import dev.weir.spi.settings.Subject;
import dev.weir.store.consensus.LogClock;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reference system C on three nodes. */
@Tag("io")
class CredentialApiOnClusterTest {
    @TempDir
    Path data;

    private LocalCluster cluster;
    private final Weir[] nodes = new Weir[3];

    @BeforeEach
    void start() {
        cluster = new LocalCluster(3, LogClock.Clock.SYSTEM, data);
        for (int i = 0; i < 3; i++) {
            nodes[i] = engine(i);
        }
    }

    private Weir engine(int node) {
        return Weir.of(
                new ConfigurationReader(name -> null).preset("credential-api").orThrow(),
                cluster.node(node).store(),
                cluster.node(node).clusterSettings(),
                WeirOptions.defaults().withGuard(new GuardOptions(Duration.ofMinutes(1), 100, Duration.ofMillis(100))));
    }

    @AfterEach
    void end() {
        cluster.close();
    }

    private Outcome exchange(int node, String customer) {
        return nodes[node].check(Map.of("customer", customer, "action", "credential_exchange"));
    }

    private int allowed(int requests, String customer) {
        int allowed = 0;
        for (int i = 0; i < requests; i++) {
            allowed += exchange(i % 3, customer).allowed() ? 1 : 0;
        }
        return allowed;
    }

    private int allowedOf(String action, int requests) {
        int allowed = 0;
        for (int i = 0; i < requests; i++) {
            allowed += nodes[i % 3]
                            .check(Map.of("customer", "c", "action", action))
                            .allowed()
                    ? 1
                    : 0;
        }
        return allowed;
    }

    @Test
    void C1_eachActionHasItsLimit() {
        assertThat(allowedOf("credential_exchange", 30)).isEqualTo(10);
        assertThat(allowedOf("usage_report", 120)).isEqualTo(100);
        assertThat(allowedOf("ast_analysis", 70)).isEqualTo(50);
    }

    /** What the nodes use is this module, the library and the engine: there is nothing else to run. */
    @Test
    void C4_theNodesAreAllThereIs() {
        assertThat(allowed(10, "c")).isEqualTo(10);
        assertThat(cluster.node(0).counts().entries())
                .isEqualTo(cluster.node(cluster.leader()).counts().entries());
    }

    @Test
    void C10_loginsAreLimitedByAddressAndPathOnAllNodes() {
        int allowed = 0;
        for (int i = 0; i < 12; i++) {
            allowed += nodes[i % 3]
                            .check(Map.of("ip", "203.0.113.7", "path", "/admin/login"))
                            .allowed()
                    ? 1
                    : 0;
        }
        assertThat(allowed).isEqualTo(5);
    }

    @Test
    void C2_allNodesTogetherAdmitExactlyTheLimit() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(12);
        try {
            List<Future<Integer>> counts = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                int node = i % 3;
                counts.add(threads.submit(() -> {
                    int allowed = 0;
                    for (int j = 0; j < 10; j++) {
                        allowed += exchange(node, "c").allowed() ? 1 : 0;
                    }
                    return allowed;
                }));
            }
            int sum = 0;
            for (Future<Integer> count : counts) {
                sum += count.get();
            }
            assertThat(sum).isEqualTo(10);
        } finally {
            threads.shutdown();
        }
    }

    @Test
    void C3_aJoiningNodeSeesTheCountsAndAStoppedOneLosesNone() {
        assertThat(allowed(6, "c")).isEqualTo(6);
        int leader = cluster.leader();
        cluster.stop(leader);
        cluster.awaitReady();
        int other = (leader + 1) % 3;
        assertThat(exchange(other, "c").allowed()).isTrue();
        cluster.start(leader);
        cluster.awaitReady();
        nodes[leader] = engine(leader);
        int more = 0;
        for (int i = 0; i < 10; i++) {
            more += exchange(leader, "c").allowed() ? 1 : 0;
        }
        assertThat(more).isEqualTo(3);
    }

    @Test
    void C3_aNodeWithoutAMajorityDenies() {
        int leader = cluster.leader();
        cluster.node((leader + 1) % 3).halt();
        cluster.node((leader + 2) % 3).halt();
        await().untilAsserted(() -> {
            Outcome outcome = exchange(leader, "c");
            assertThat(outcome.allowed()).isFalse();
            assertThat(outcome.reason()).isEqualTo(Reason.UNAVAILABLE);
        });
        assertThat(nodes[leader].isStoreReachable()).isFalse();
        assertThat(cluster.node(leader).status().problem()).contains("majority");
    }

    @Test
    void C5_entriesAreCountedAndTheExpiredAreRemoved() {
        allowed(9, "c");
        ClusterStore store = cluster.node(0).store();
        assertThat(store.entries()).isEqualTo(1);
        await().until(() -> store.sweeps() > 0);
    }

    @Test
    void C6_theAnswerIsAllowedOrLimitedWithAWait() {
        assertThat(allowed(10, "c")).isEqualTo(10);
        Outcome refused = exchange(1, "c");
        assertThat(refused.reason()).isEqualTo(Reason.LIMITED);
        assertThat(refused.retryAfter()).isBetween(Duration.ofSeconds(30), Duration.ofSeconds(60));
    }

    @Test
    void C7_aChangeReachesAllNodesAndSurvivesAStopOfAll() {
        Subject subject = new Subject("customer", "vip");
        SettingsSnapshot after = nodes[0].change(new SettingsChange.PutOverride(
                "admin", Instant.now(), subject, Map.of("credential_exchange", Map.of("default", "3/min"))));
        assertThat(after.version()).isEqualTo(1);
        for (int i = 0; i < 3; i++) {
            ClusterNode node = cluster.node(i);
            await().until(() -> node.clusterSettings().current().version() == 1);
        }
        await().until(() -> !exchange(1, "vip").allowed());
        for (int i = 0; i < 3; i++) {
            cluster.stop(i);
        }
        for (int i = 0; i < 3; i++) {
            cluster.start(i);
        }
        cluster.awaitReady();
        await().until(() ->
                cluster.node(2).clusterSettings().current().overrides().containsKey(subject));
        assertThat(cluster.node(1).clusterSettings().audit(5))
                .extracting(AuditEntry::version)
                .containsExactly(1L);
    }

    @Test
    void C8_aResetReachesAllNodes() {
        assertThat(allowed(12, "c")).isEqualTo(10);
        nodes[0].reset(Map.of("customer", "c", "action", "credential_exchange"));
        assertThat(exchange(2, "c").allowed()).isTrue();
    }
}
