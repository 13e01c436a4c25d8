package dev.weir.store.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.store.consensus.CrashDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three and five real processes, killed, stopped and cut off under load: nothing that was acknowledged is ever lost.
 *
 * <p>Some faults on every run; {@code -Dweir.cluster.rounds=20} goes through all of them that often, which takes long, and
 * the machine for itself.
 */
@Timeout(900)
class ClusterFaultIT {
    private static final String LONG_FORM = "weir.cluster.rounds";
    private static final boolean IS_LONG = System.getProperty(LONG_FORM) != null;
    private static final int ROUNDS = Integer.getInteger(LONG_FORM, 1);
    private static final int THREADS = 6;
    /** What became of each round, a line each. */
    private static final Path RESULTS = Path.of("target", "cluster-faults.txt");

    @TempDir
    Path data;

    private ProcessCluster cluster;
    private final List<String> results = new ArrayList<>();

    @AfterEach
    void end() throws IOException {
        if (cluster != null) {
            cluster.close();
        }
        Files.write(RESULTS, results, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    private ProcessCluster start(int size) {
        cluster = new ProcessCluster(size, data, Network.loopback(), "");
        return cluster.startAll();
    }

    /** Lets the load go on until so many more are acknowledged. */
    private void awaitAcknowledged(long more) {
        long target = cluster.acknowledged() + more;
        try {
            await().pollInterval(Duration.ofMillis(20)).until(() -> cluster.acknowledged() >= target);
        } catch (ConditionTimeoutException e) {
            throw new AssertionError("nothing acknowledged: " + cluster.describe(), e);
        }
    }

    @Tag("long")
    @Test
    void parallelTakes_onAllNodes_admitExactlyTheLimit() {
        start(3);
        for (int round = 0; round < 3 * ROUNDS; round++) {
            String race = "race key" + round + " 1000 700";
            for (int i = 0; i < 3; i++) {
                cluster.send(i, race);
            }
            long admitted = 0;
            for (int i = 0; i < 3; i++) {
                String[] said = cluster.hear(i).split(" ");
                assertThat(said[1]).as("failed").isEqualTo("0");
                admitted += Long.parseLong(said[0]);
            }
            assertThat(admitted).isEqualTo(1_000);
        }
    }

    @Test
    void kill_ofOneNodeAfterAnother_losesNothing() {
        start(3);
        cluster.loadAll(THREADS);
        for (int round = 0; round < ROUNDS; round++) {
            for (int turn = 0; turn < (IS_LONG ? 3 : 1); turn++) {
                awaitAcknowledged(300);
                int node = IS_LONG ? turn : cluster.leader();
                cluster.kill(node);
                awaitAcknowledged(300);
                cluster.start(node);
                cluster.awaitReady();
                cluster.tell(node, "load " + THREADS);
            }
        }
        cluster.stopLoad();
        results.add("kill -9, 3 nodes: " + cluster.checkNothingLost());
    }

    @Tag("long")
    @Test
    void kill_ofTwoLeadersInARow_ofFive_losesNothing() {
        start(5);
        for (int round = 0; round < ROUNDS; round++) {
            cluster.loadAll(3);
            awaitAcknowledged(300);
            int first = cluster.leader();
            cluster.kill(first);
            int second = cluster.leader();
            cluster.kill(second);
            awaitAcknowledged(300);
            cluster.start(first);
            cluster.start(second);
            cluster.awaitReady();
            cluster.stopLoad();
            results.add("two leaders, 5 nodes: " + cluster.checkNothingLost());
        }
    }

    @Test
    void stop_ofTheLeadersProcess_losesNothingAndItComesBack() {
        start(3);
        for (int round = 0; round < ROUNDS; round++) {
            cluster.loadAll(THREADS);
            awaitAcknowledged(300);
            int leader = cluster.leader();
            cluster.signal(leader, "STOP");
            awaitAcknowledged(300);
            cluster.signal(leader, "CONT");
            awaitAcknowledged(300);
            cluster.stopLoad();
            cluster.awaitReady();
            results.add("SIGSTOP of the leader: " + cluster.checkNothingLost());
        }
    }

    @Tag("long")
    @Test
    void emptiedDirectory_ofOneNode_isFilledAgainBeforeItCounts() {
        start(3);
        for (int round = 0; round < ROUNDS; round++) {
            int node = round % 3;
            cluster.loadAll(THREADS);
            awaitAcknowledged(300);
            cluster.kill(node);
            cluster.emptyDirectory(node);
            cluster.start(node);
            cluster.awaitReady();
            // The other two now die one after the other: what they knew must be in the one that had forgotten.
            int other = (node + 1) % 3;
            cluster.kill(other);
            awaitAcknowledged(100);
            cluster.start(other);
            cluster.awaitReady();
            cluster.stopLoad();
            results.add("emptied directory: " + cluster.checkNothingLost());
        }
    }

    /** A node that has forgotten and one that is behind are two of three, and must not be a majority. */
    @Test
    void forgottenAndBehind_areNoMajority() {
        for (int round = 0; round < ROUNDS; round++) {
            forgetAndReturn("", cluster -> node -> {
                cluster.kill(node);
                cluster.emptyDirectory(node);
            });
        }
    }

    @Tag("long")
    @Test
    void crashOfAMachine_thatDidNotSync_countsAsForgotten() {
        for (int round = 0; round < ROUNDS; round++) {
            forgetAndReturn("&sync=false", cluster -> cluster::crashMachine);
        }
    }

    /** What the documents promise of the default mode: a power cut of all machines at once loses nothing. */
    @Test
    void powerCut_ofAllMachines_losesNothing() throws IOException {
        Assumptions.assumeTrue(CrashDisk.isPossible(data), "mounting a disk needs Linux and the rights of root");
        List<CrashDisk> disks = new ArrayList<>();
        try {
            for (int i = 0; i < 3; i++) {
                disks.add(new CrashDisk(data.resolve("node" + i)));
            }
            start(3);
            for (int round = 0; round < ROUNDS; round++) {
                cluster.loadAll(THREADS);
                awaitAcknowledged(300);
                for (int i = 0; i < 3; i++) {
                    cluster.kill(i);
                }
                // Last, because syncing another file would write this one's name as well.
                Path unsynced = cluster.directory(0).resolve("unsynced");
                Files.writeString(unsynced, "lost");
                for (CrashDisk disk : disks) {
                    disk.crash();
                }
                assertThat(unsynced).as("a file that was not synced").doesNotExist();
                for (int i = 0; i < 3; i++) {
                    cluster.start(i);
                }
                cluster.awaitReady();
                results.add("power cut of all machines: " + cluster.checkNothingLost());
            }
        } finally {
            cluster.close();
            for (CrashDisk disk : disks) {
                disk.close();
            }
        }
    }

    private void forgetAndReturn(String options, Function<ProcessCluster, IntConsumer> forget) {
        if (cluster != null) {
            cluster.close();
            ProcessCluster.run("sh", "-c", "rm -rf " + data + "/*");
        }
        cluster = new ProcessCluster(3, data, Network.loopback(), options).startAll();
        cluster.loadAll(3);
        awaitAcknowledged(200);
        int leader = cluster.leader();
        int forgets = (leader + 1) % 3;
        int behind = (leader + 2) % 3;
        cluster.kill(behind);
        awaitAcknowledged(300);
        cluster.stopLoad();
        cluster.kill(leader);
        forget.apply(cluster).accept(forgets);
        cluster.start(behind);
        cluster.start(forgets);
        await().pollDelay(Duration.ofSeconds(4)).until(() -> !cluster.isReady(behind) && !cluster.isReady(forgets));
        assertThat(cluster.tell(behind, "probe")).startsWith("failed").contains("majority");
        cluster.start(leader);
        cluster.awaitReady();
        results.add("forgotten and behind" + options + ": " + cluster.checkNothingLost());
    }

    @Test
    void diskErrors_ofOneNode_stopItAndLoseNothing() {
        start(3);
        for (int round = 0; round < ROUNDS; round++) {
            cluster.loadAll(THREADS);
            awaitAcknowledged(200);
            int node = round % 2 == 0 ? cluster.leader() : (cluster.leader() + 1) % 3;
            cluster.failWrites(node);
            await().until(() -> cluster.tell(node, "status").contains("stopped taking part"));
            awaitAcknowledged(300);
            assertThat(cluster.isReady(node)).isFalse();
            cluster.stopLoad();
            cluster.kill(node);
            cluster.start(node);
            cluster.awaitReady();
            results.add("disk errors: " + cluster.checkNothingLost());
        }
    }

    @Tag("long")
    @Test
    void fullDisk_ofOneNode_stopsItAndLosesNothing() throws IOException {
        Assumptions.assumeTrue(Network.isPossible(), "mounting a small disk needs Linux and the rights of root");
        Path disk = Files.createDirectories(data.resolve("node0"));
        ProcessCluster.run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk.toString());
        try {
            start(3);
            cluster.loadAll(THREADS);
            await().until(() -> cluster.tell(0, "status").contains("stopped taking part"));
            awaitAcknowledged(300);
            cluster.stopLoad();
            cluster.kill(0);
            ProcessCluster.run("mount", "-o", "remount,size=200m", disk.toString());
            cluster.start(0);
            cluster.awaitReady();
            results.add("full disk: " + cluster.checkNothingLost());
        } finally {
            cluster.close();
            ProcessCluster.run("umount", "-l", disk.toString());
        }
    }

    @Tag("long")
    @Test
    void clockSteps_ofAnHourBothWays_refillNothing() {
        start(3);
        assertThat(cluster.tell(0, "acquire first 600000")).isEqualTo("true");
        for (int round = 0; round < ROUNDS; round++) {
            cluster.loadAll(2);
            int leader = cluster.leader();
            for (int node = 0; node < 3; node++) {
                assertThat(cluster.tell(node, "step " + ((round + node) % 2 == 0 ? 3_600_000 : -3_600_000)))
                        .isEqualTo("stepped");
            }
            awaitAcknowledged(100);
            cluster.kill(leader);
            awaitAcknowledged(100);
            cluster.start(leader);
            cluster.awaitReady();
            cluster.stopLoad();
            assertThat(cluster.tell(round % 3, "acquire second" + round + " 1000"))
                    .isEqualTo("false");
            results.add("clock steps: " + cluster.checkNothingLost());
        }
    }

    /** Runs for a tenth of the time, in pieces. */
    private void slowDown(int node, int times) {
        for (int i = 0; i < times; i++) {
            cluster.signal(node, "STOP");
            sleep(100);
            cluster.signal(node, "CONT");
            sleep(10);
        }
    }

    private static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Tag("long")
    @Test
    void slowNode_losesNothing() {
        start(3);
        for (int round = 0; round < ROUNDS; round++) {
            cluster.loadAll(THREADS);
            awaitAcknowledged(200);
            slowDown(round % 2 == 0 ? cluster.leader() : (cluster.leader() + 1) % 3, 40);
            awaitAcknowledged(200);
            cluster.stopLoad();
            cluster.awaitReady();
            results.add("a node 100 ms slow: " + cluster.checkNothingLost());
        }
    }

    @Tag("long")
    @Test
    void asymmetricCut_forAMinute_losesNothingAndHeals() {
        Assumptions.assumeTrue(Network.isPossible(), "network namespaces need Linux, ip, and the rights of root");
        Network network = Network.namespaces(3);
        cluster = new ProcessCluster(3, data, network, "").startAll();
        for (int round = 0; round < ROUNDS; round++) {
            cluster.loadAll(THREADS);
            awaitAcknowledged(200);
            int leader = cluster.leader();
            // One follower no longer hears the leader; everything else arrives.
            network.cut(leader, (leader + 1) % 3);
            sleep(Integer.getInteger("weir.cluster.cut-seconds", 60) * 1_000L);
            awaitAcknowledged(200);
            network.heal();
            cluster.awaitReady();
            cluster.stopLoad();
            results.add("asymmetric cut: " + cluster.checkNothingLost());
        }
    }

    /** {@code -Dweir.cluster.seed=N} repeats a run. */
    @Tag("long")
    @Test
    @Timeout(7_200)
    void randomFaults_inCombination_loseNothing() {
        Assumptions.assumeTrue(Network.isPossible(), "network namespaces need Linux, ip, and the rights of root");
        long seed = Long.getLong("weir.cluster.seed", System.nanoTime());
        System.out.println("random faults: -Dweir.cluster.seed=" + seed);
        Random random = new Random(seed);
        Network network = Network.namespaces(3);
        cluster = new ProcessCluster(3, data, network, "").startAll();
        for (int round = 0; round < Integer.getInteger("weir.cluster.combinations", 50); round++) {
            cluster.loadAll(3);
            StringBuilder faults = new StringBuilder();
            int down = -1;
            for (int fault = 0; fault < 2; fault++) {
                awaitAcknowledged(50);
                int node = random.nextInt(3);
                int kind = random.nextInt(7);
                faults.append(' ').append(kind).append('/').append(node);
                if (node == down || (down >= 0 && kind <= 2)) {
                    continue;
                }
                down = inject(network, kind, node, random) ? node : down;
            }
            sleep(random.nextInt(1_500));
            network.heal();
            if (down >= 0) {
                if (cluster.isUp(down)) {
                    cluster.kill(down);
                }
                cluster.start(down);
            }
            awaitAcknowledged(50);
            cluster.awaitReady();
            cluster.stopLoad();
            results.add("seed " + seed + ", round " + round + ", faults" + faults + ": " + cluster.checkNothingLost());
        }
    }

    /** Returns whether the node has to be started again. */
    private boolean inject(Network network, int kind, int node, Random random) {
        switch (kind) {
            case 0 -> cluster.kill(node);
            case 1 -> {
                cluster.kill(node);
                cluster.emptyDirectory(node);
            }
            case 2 -> cluster.failWrites(node);
            case 3 -> slowDown(node, 10);
            case 4 -> cluster.tell(node, "step " + (random.nextBoolean() ? 3_600_000 : -3_600_000));
            case 5 -> network.cut(node, (node + 1) % 3);
            default -> network.isolate(node, (node + 1) % 3, (node + 2) % 3);
        }
        return kind <= 2;
    }

    @Tag("long")
    @Test
    void kill_whileALargeStateTravels_losesNothing() {
        start(3);
        cluster.loadAll(2);
        assertThat(cluster.tell(0, "fill 100000")).isEqualTo("failed=0");
        for (int round = 0; round < ROUNDS; round++) {
            int node = (cluster.leader() + 1) % 3;
            cluster.kill(node);
            cluster.emptyDirectory(node);
            cluster.start(node);
            // It is being sent everything; it dies again before it has it, and then whoever sends it.
            cluster.kill(node);
            cluster.start(node);
            cluster.awaitReady();
            cluster.tell(node, "load 2");
            int leader = cluster.leader();
            cluster.kill(leader);
            awaitAcknowledged(100);
            cluster.start(leader);
            cluster.awaitReady();
            cluster.tell(leader, "load 2");
        }
        cluster.stopLoad();
        results.add("100,000 keys: " + cluster.checkNothingLost());
        assertThat(cluster.tell(0, "status")).contains("entries=100");
    }

    @Tag("long")
    @Test
    void snapshots_ofALargeState_failNothing() {
        start(3);
        cluster.loadAll(2);
        int fills = 0;
        while (!IntStream.range(0, 3).allMatch(cluster::hasSnapshot)) {
            assertThat(fills++).as("fills without a snapshot on every node").isLessThan(40);
            assertThat(cluster.tell(fills % 3, "fill 200000")).isEqualTo("failed=0");
        }
        assertThat(cluster.stopLoad()).allMatch(line -> line.startsWith("failures=0 "));
        results.add("snapshots of 200,000 keys: " + cluster.checkNothingLost());
    }

    @Test
    void rollingRestart_underLoad_failsNothingOnTheOthers() {
        start(3);
        for (int round = 0; round < ROUNDS; round++) {
            cluster.loadAll(THREADS);
            for (int node = 0; node < 3; node++) {
                awaitAcknowledged(200);
                cluster.stop(node);
                awaitAcknowledged(200);
                for (int other = 0; other < 3; other++) {
                    if (other != node) {
                        assertThat(cluster.tell(other, "stop")).startsWith("failures=0 ");
                        cluster.tell(other, "load " + THREADS);
                    }
                }
                cluster.start(node);
                cluster.awaitReady();
                cluster.tell(node, "load " + THREADS);
            }
            List<String> said = cluster.stopLoad();
            assertThat(said).allMatch(line -> line.startsWith("failures=0 "));
            results.add("rolling restart: " + cluster.checkNothingLost());
        }
    }

    @Tag("long")
    @Test
    void wallClocks_secondsApart_giveNothingBackEarlyWhenTheLeaderChanges() {
        cluster = new ProcessCluster(3, data, Network.loopback(), "", new long[] {-20_000, 0, 20_000}).startAll();
        // One slot for a minute: a clock that jumped ahead with a new leader would free it.
        assertThat(cluster.tell(0, "acquire first 15000")).isEqualTo("true");
        for (int round = 0; round < 2; round++) {
            int leader = cluster.leader();
            cluster.kill(leader);
            int next = cluster.leader();
            assertThat(cluster.tell(next, "acquire second" + round + " 60000")).isEqualTo("false");
            cluster.start(leader);
            cluster.awaitReady();
        }
        await().pollInterval(Duration.ofMillis(200))
                .until(() -> cluster.tell(0, "acquire last 60000").equals("true"));
    }

    @Test
    void partitions_whateverTheirShape_loseNothingAndHeal() {
        Assumptions.assumeTrue(Network.isPossible(), "network namespaces need Linux, ip, and the rights of root");
        Network network = Network.namespaces(3);
        cluster = new ProcessCluster(3, data, network, "").startAll();
        for (int round = 0; round < ROUNDS; round++) {
            // The leader alone, a follower alone, the leader deaf, the leader mute.
            for (int shape = 0; shape < (IS_LONG ? 4 : 1); shape++) {
                cluster.loadAll(THREADS);
                awaitAcknowledged(200);
                int leader = cluster.leader();
                int a = (leader + 1) % 3;
                int b = (leader + 2) % 3;
                int alone = shape == 1 ? a : leader;
                switch (shape) {
                    case 0 -> network.isolate(leader, a, b);
                    case 1 -> network.isolate(a, leader, b);
                    case 2 -> {
                        network.cut(a, leader);
                        network.cut(b, leader);
                    }
                    default -> {
                        network.cut(leader, a);
                        network.cut(leader, b);
                    }
                }
                await().until(() -> !cluster.isReady(alone));
                assertThat(cluster.tell(alone, "probe")).startsWith("failed").contains("majority");
                awaitAcknowledged(300);
                network.heal();
                cluster.awaitReady();
                assertThat(cluster.tell(alone, "probe")).startsWith("ok");
                cluster.stopLoad();
                results.add("cut " + shape + ": " + cluster.checkNothingLost());
            }
        }
    }
}
