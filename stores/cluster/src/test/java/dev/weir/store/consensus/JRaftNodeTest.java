package dev.weir.store.consensus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.StoreException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Members that come and go, certificates that change, directories that this build cannot use. */
@Tag("io")
class JRaftNodeTest {
    private static final String FOURTH = "billing-3";

    @TempDir
    Path data;

    @Test
    void node_ofAVersionThatDoesNotFit_isRefusedAndSaysWhatToDo() throws Exception {
        try (TestNodes cluster = new TestNodes(null).startTwoOfThree(null)) {
            JRaftNode newer = cluster.start(TestNodes.FOUNDERS.get(2), TestNodes.FOUNDERS, 2, null);
            await().atMost(TestNodes.LONG)
                    .until(() -> String.valueOf(newer.status().problem()).contains("versions do not fit"));
            cluster.nodes.remove(TestNodes.FOUNDERS.get(2)).halt();
            cluster.assertAllServe();
        }
    }

    @Test
    void nodes_withDifferentLists_startNoClusterAndSaySo() throws Exception {
        try (TestNodes cluster = new TestNodes(null)) {
            JRaftNode one = cluster.start("billing-0", List.of("billing-0", "billing-1"), 1, null);
            JRaftNode other = cluster.start("billing-1", List.of("billing-0", "billing-1", "billing-2"), 1, null);
            await().atMost(TestNodes.LONG)
                    .until(() -> String.valueOf(one.status().problem()).contains("list of members")
                            && String.valueOf(other.status().problem()).contains("list of members"));
        }
    }

    @Test
    void member_thatIsAddedAndRemoved_countsOnlyInBetween() throws Exception {
        try (TestNodes cluster = new TestNodes(data)) {
            for (String founder : TestNodes.FOUNDERS) {
                cluster.start(founder, TestNodes.FOUNDERS, 1, null);
            }
            cluster.awaitReady();
            cluster.assertAllServe();
            List<String> four = List.of("billing-0", "billing-1", "billing-2", FOURTH);
            JRaftNode fourth = cluster.start(FOURTH, four, 1, null);
            await().atMost(TestNodes.LONG)
                    .until(() -> String.valueOf(fourth.status().problem()).contains("add"));
            // A node that does not lead passes it on.
            JRaftNode follower = cluster.nodes.get("billing-0").status().isLeader()
                    ? cluster.nodes.get("billing-1")
                    : cluster.nodes.get("billing-0");
            follower.change(Consensus.MembershipChange.ADD, FOURTH)
                    .toCompletableFuture()
                    .get(90, TimeUnit.SECONDS);
            cluster.awaitReady();
            cluster.assertAllServe();
            assertThat(fourth.status().members()).isEqualTo(four);

            follower.change(Consensus.MembershipChange.TRANSFER, FOURTH)
                    .toCompletableFuture()
                    .get(90, TimeUnit.SECONDS);
            await().atMost(TestNodes.LONG)
                    .until(() -> fourth.status().isReady() && fourth.status().isLeader());
            fourth.change(Consensus.MembershipChange.TRANSFER, "billing-0")
                    .toCompletableFuture()
                    .get(90, TimeUnit.SECONDS);
            await().atMost(TestNodes.LONG)
                    .until(() -> cluster.nodes.get("billing-0").status().isLeader());
            cluster.awaitReady();
            follower.change(Consensus.MembershipChange.REMOVE, FOURTH)
                    .toCompletableFuture()
                    .get(90, TimeUnit.SECONDS);
            cluster.nodes.remove(FOURTH).close();
            await().atMost(TestNodes.LONG)
                    .until(() -> follower.status().members().equals(TestNodes.FOUNDERS));
            cluster.assertAllServe();
        }
    }

    @Test
    void change_thatTheLeaderCannotMake_failsWithItsReason() throws Exception {
        try (TestNodes cluster = new TestNodes(null).startTwoOfThree(null)) {
            assertThatThrownBy(() -> cluster.leader()
                            .change(Consensus.MembershipChange.TRANSFER, "nobody")
                            .toCompletableFuture()
                            .get(90, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .cause()
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("did not do it");
        }
    }

    @Test
    void removal_ofNoMember_orThatWouldStopTheCluster_isRefusedWithItsReason() throws Throwable {
        try (TestNodes cluster = new TestNodes(null).startTwoOfThree(null)) {
            assertThatThrownBy(() -> change(cluster.leader(), Consensus.MembershipChange.REMOVE, "billing-9"))
                    .isInstanceOfSatisfying(
                            StoreException.class, e -> assertThat(e.retryable()).isFalse())
                    .hasMessageContaining("billing-9 is no member")
                    .hasMessageContaining("its members are billing-0, billing-1, billing-2");
            String follower = cluster.leader().status().node().equals("billing-0") ? "billing-1" : "billing-0";
            assertThatThrownBy(() -> change(cluster.leader(), Consensus.MembershipChange.REMOVE, follower))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("the cluster would stop")
                    .hasMessageContaining("start the others first");
            cluster.assertAllServe();
            change(cluster.nodes.get(follower), Consensus.MembershipChange.REMOVE, "billing-2");
            await().atMost(TestNodes.LONG)
                    .until(() -> cluster.leader().status().members().equals(List.of("billing-0", "billing-1")));
            cluster.assertAllServe();
        }
    }

    private static void change(JRaftNode node, Consensus.MembershipChange change, String member) throws Throwable {
        try {
            node.change(change, member).toCompletableFuture().get(90, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw e.getCause();
        }
    }

    @Test
    void submission_thatNoFrameHolds_isRejectedAndTheOthersServe() throws Exception {
        try (TestNodes cluster = new TestNodes(null).startTwoOfThree(null)) {
            byte[] largest = new byte[PeerConnection.LARGEST_FRAME / 2];
            assertThatThrownBy(() -> cluster.leader()
                            .submit(new byte[largest.length + 1], false)
                            .toCompletableFuture()
                            .get(90, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOfSatisfying(
                            StoreException.class, e -> assertThat(e.retryable()).isFalse())
                    .hasMessageContaining("at most " + largest.length);
            assertThat(cluster.leader()
                            .submit(largest, false)
                            .toCompletableFuture()
                            .get(90, TimeUnit.SECONDS))
                    .isEqualTo(largest);
            cluster.assertAllServe();
        }
    }

    /** The cluster has committed its members by then, and no submission. */
    @Test
    void nodes_ofANewCluster_areNotBehind() throws Exception {
        try (TestNodes cluster = new TestNodes(null).startTwoOfThree(null)) {
            await().atMost(TestNodes.LONG)
                    .untilAsserted(() -> assertThat(cluster.nodes.values())
                            .extracting(JRaftNode::status)
                            .allSatisfy(status -> assertThat(status.committed()).isPositive())
                            .allSatisfy(status -> assertThat(status.applied()).isEqualTo(status.committed())));
        }
    }

    @Test
    void statusOfAll_hasEveryMemberThatAnswers() throws Exception {
        try (TestNodes cluster = new TestNodes(data).startTwoOfThree(null)) {
            cluster.assertAllServe();
            JRaftNode asked = cluster.nodes.get("billing-0");
            await().atMost(TestNodes.LONG).untilAsserted(() -> {
                List<NodeStatus> all = asked.statusOfAll().toCompletableFuture().get(90, TimeUnit.SECONDS);
                assertThat(all).extracting(NodeStatus::node).containsExactly("billing-0", "billing-1");
                assertThat(all).extracting(NodeStatus::isReady).containsOnly(true);
                assertThat(all)
                        .extracting(NodeStatus::leader)
                        .containsOnly(asked.status().leader());
                assertThat(all).extracting(NodeStatus::committed).allMatch(committed -> committed > 0);
                assertThat(all).extracting(NodeStatus::members).containsOnly(TestNodes.FOUNDERS);
            });
        }
    }

    @Test
    void certificates_thatAreReplaced_areUsedWithoutARestart() throws Exception {
        TlsFiles files = replaceableFiles();
        try (TestNodes cluster = new TestNodes(null).startTwoOfThree(files)) {
            cluster.assertAllServe();
            replaceFiles(files);
            // A node with the former certificates does not fit any more, one with the new ones does.
            JRaftNode former =
                    cluster.start(TestNodes.FOUNDERS.get(2), TestNodes.FOUNDERS, 1, TestNodes.tls("renewed"));
            await().atMost(TestNodes.LONG)
                    .until(() -> String.valueOf(former.status().problem()).contains("tls-ca"));
            assertThat(former.status().isReady()).isFalse();
            former.halt();
            cluster.start(TestNodes.FOUNDERS.get(2), TestNodes.FOUNDERS, 1, TestNodes.tls("stranger"));
            cluster.awaitReady();
            cluster.assertAllServe();
        }
    }

    @Test
    void node_thatWaitsToBeAdded_andIsNoLongerTrusted_saysSoUntilItIs() throws Exception {
        TlsFiles files = replaceableFiles();
        try (TestNodes cluster = new TestNodes(null).startTwoOfThree(files)) {
            List<String> four = List.of("billing-0", "billing-1", "billing-2", FOURTH);
            JRaftNode waiting = cluster.start(FOURTH, four, 1, TestNodes.tls("renewed"));
            await().atMost(TestNodes.LONG)
                    .until(() -> String.valueOf(waiting.status().problem()).contains("weir cluster add"));
            replaceFiles(files);
            await().atMost(TestNodes.LONG)
                    .until(() -> String.valueOf(waiting.status().problem()).contains("tls-ca"));
            pointTo("first");
            await().atMost(TestNodes.LONG)
                    .until(() -> !String.valueOf(waiting.status().problem()).contains("tls-ca"));
        }
    }

    /** Files behind a symbolic link, which replaces all of them at once, as Kubernetes does with a secret. */
    private TlsFiles replaceableFiles() throws IOException {
        copyCertificates("first", "node", "ca.pem");
        copyCertificates("second", "stranger", "other-ca.pem");
        pointTo("first");
        Path current = data.resolve("current");
        return new TlsFiles(current.resolve("node.pem"), current.resolve("node.key"), current.resolve("ca.pem"), null);
    }

    private void copyCertificates(String directory, String node, String authority) throws IOException {
        Path copies = Files.createDirectory(data.resolve(directory));
        Files.copy(TestNodes.certificate(node + ".pem"), copies.resolve("node.pem"));
        Files.copy(TestNodes.certificate(node + ".key"), copies.resolve("node.key"));
        Files.copy(TestNodes.certificate(authority), copies.resolve("ca.pem"));
    }

    private void pointTo(String directory) throws IOException {
        Path link = Files.createSymbolicLink(data.resolve("next"), Path.of(directory));
        Files.move(link, data.resolve("current"), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** The nodes look at the files once a second and accept former certificates until then. */
    private void replaceFiles(TlsFiles files) throws IOException {
        int before = files.current().version();
        pointTo("second");
        await().atMost(TestNodes.LONG).until(() -> files.current().version() > before);
    }

    @Test
    void pkcs12_servesAsPemDoes() throws Exception {
        TlsFiles bundle =
                new TlsFiles(TestNodes.certificate("node.p12"), null, TestNodes.certificate("ca.pem"), "changeit");
        try (TestNodes cluster = new TestNodes(null)) {
            cluster.start(TestNodes.FOUNDERS.get(0), TestNodes.FOUNDERS, 1, bundle);
            cluster.start(TestNodes.FOUNDERS.get(1), TestNodes.FOUNDERS, 1, TestNodes.tls("node"));
            cluster.awaitReady();
            cluster.assertAllServe();
        }
    }

    @Test
    void journal_ofAnEarlierBuild_isRefusedWithWhatToDo() throws IOException {
        Path directory = Files.createDirectories(data.resolve("billing-0"));
        Files.write(directory.resolve("log"), new byte[10]);
        Files.write(directory.resolve("vote"), new byte[10]);
        try (TestNodes cluster = new TestNodes(data)) {
            assertThatThrownBy(() -> cluster.start("billing-0", List.of("billing-0"), 1, null))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(directory.toString())
                    .hasMessageContaining("earlier build")
                    .hasMessageContaining("empty this directory");
        }
        assertThat(directory.resolve("log")).hasSize(10);
    }

    @RepeatedTest(50)
    void node_thatEndsWhileItStarts_writesNothingAfterwards() throws IOException {
        try (TestNodes cluster = new TestNodes(data)) {
            cluster.start("billing-0", List.of("billing-0"), 1, null);
        }
        try (Stream<Path> files = Files.walk(data)) {
            files.sorted(Comparator.reverseOrder()).forEach(JRaftNodeTest::delete);
        }
        assertThat(data).doesNotExist();
        Files.createDirectory(data);
    }

    private static void delete(Path file) {
        try {
            Files.delete(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void directory_thatIsInUse_isRefused() throws IOException {
        try (TestNodes cluster = new TestNodes(data)) {
            cluster.start("billing-0", List.of("billing-0"), 1, null);
            assertThatThrownBy(() -> NodeDirectory.open(data.resolve("billing-0"), true))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("in use");
        }
    }
}
