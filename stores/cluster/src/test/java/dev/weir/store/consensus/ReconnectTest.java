package dev.weir.store.consensus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Connections that break under load: every node receives entries again. */
@Tag("io")
class ReconnectTest {
    private static final int BREAKS = 15;

    @TempDir
    Path data;

    /**
     * The node that opened a connection notices first, and connects again while replies on the broken one are still on
     * their way. A follower that received nothing from then on would go unnoticed until the other one fails.
     */
    @Test
    void followers_whoseConnectionsBreakUnderLoad_receiveEveryEntry() throws Exception {
        List<BreakingProxy> proxies = new ArrayList<>();
        AtomicBoolean isOver = new AtomicBoolean();
        AtomicLong done = new AtomicLong();
        try (TestNodes cluster = new TestNodes(data)) {
            for (String founder : TestNodes.FOUNDERS) {
                BreakingProxy proxy = new BreakingProxy(cluster.address(founder));
                proxies.add(proxy);
                cluster.routes.put(founder, proxy.address());
            }
            for (String founder : TestNodes.FOUNDERS) {
                cluster.start(founder, TestNodes.FOUNDERS, 1, null);
            }
            cluster.awaitReady();
            Thread load = new Thread(() -> load(cluster.leader(), isOver, done));
            load.setDaemon(true);
            load.start();
            for (int i = 0; i < BREAKS; i++) {
                awaitMore(cluster, done, 50);
                proxies.forEach(BreakingProxy::breakOpeners);
                awaitMore(cluster, done, 20);
                proxies.forEach(BreakingProxy::closeOtherEnds);
                awaitAllReceive(cluster);
            }
        } finally {
            isOver.set(true);
            proxies.forEach(BreakingProxy::close);
        }
    }

    /**
     * It takes a third of a second, and took 15 s or minutes where replies got stuck. On a machine that has no time for this
     * process nothing is stuck, so the bound is in the process' CPU time, which the load uses up.
     */
    private static void awaitAllReceive(TestNodes cluster) {
        long applied = cluster.leader().status().applied();
        Duration end = cpuTime().plusSeconds(10);
        await().atMost(TestNodes.LONG).until(() -> {
            List<NodeStatus> behind = cluster.nodes.values().stream()
                    .map(JRaftNode::status)
                    .filter(status -> status.applied() < applied)
                    .toList();
            assertThat(behind.isEmpty() || cpuTime().compareTo(end) < 0)
                    .as("the nodes have %s after 10 s of CPU time: %s", applied, behind)
                    .isTrue();
            return behind.isEmpty();
        });
    }

    private static Duration cpuTime() {
        return ProcessHandle.current().info().totalCpuDuration().orElseThrow();
    }

    private static void awaitMore(TestNodes cluster, AtomicLong done, long more) {
        long target = done.get() + more;
        cluster.awaitThat("only " + done + " of " + target + " entries at first", () -> done.get() >= target);
    }

    private static void load(JRaftNode node, AtomicBoolean isOver, AtomicLong done) {
        Semaphore room = new Semaphore(16);
        while (!isOver.get()) {
            room.acquireUninterruptibly();
            node.submit(new byte[100], false).whenComplete((reply, failure) -> {
                done.addAndGet(failure == null ? 1 : 0);
                room.release();
            });
        }
    }
}
