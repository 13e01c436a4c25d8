package dev.weir.store.consensus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.alipay.sofa.jraft.entity.LocalStorageOutter.StablePBMeta;
import com.alipay.sofa.jraft.storage.io.ProtoBufFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A vote counts only once it is on disk, where it survives a crash of the machine. */
@Tag("io")
class VoteTest {
    @TempDir
    Path data;

    @Test
    void votes_ofAMajority_surviveACrashOfAllMachines() throws Exception {
        Assumptions.assumeTrue(CrashDisk.isPossible(data), "mounting a disk needs Linux and the rights of root");
        List<CrashDisk> disks = new ArrayList<>();
        try (TestNodes cluster = new TestNodes(data)) {
            for (String founder : TestNodes.FOUNDERS) {
                disks.add(new CrashDisk(data.resolve(founder)));
            }
            for (String founder : TestNodes.FOUNDERS) {
                cluster.start(founder, TestNodes.FOUNDERS, 1, null);
            }
            cluster.awaitReady();
            int votes = 0;
            NodeStatus leader = cluster.leader().status();
            // A busy machine may elect another leader meanwhile.
            for (int attempt = 0; attempt < 5; attempt++) {
                votes = votesOnDisk(disks, attempt, leader);
                NodeStatus now = cluster.leader().status();
                if (now.term() == leader.term() && now.node().equals(leader.node())) {
                    break;
                }
                leader = now;
            }
            assertThat(votes).as("votes that are on disk").isGreaterThanOrEqualTo(2);
        } finally {
            for (CrashDisk disk : disks) {
                disk.close();
            }
        }
    }

    private int votesOnDisk(List<CrashDisk> disks, int attempt, NodeStatus leader) throws IOException {
        int votes = 0;
        for (int i = 0; i < 3; i++) {
            Path copy = data.resolve("copy" + attempt + "-" + i);
            disks.add(disks.get(i).afterCrash(copy));
            StablePBMeta kept = new ProtoBufFile(copy.resolve("meta/raft_meta").toString()).load();
            if (kept != null
                    && kept.getTerm() == leader.term()
                    && kept.getVotedfor().startsWith(leader.node() + ":")) {
                votes++;
            }
        }
        return votes;
    }

    @Test
    void node_thatCannotKeepItsVote_neitherVotesNorLeads() throws Exception {
        try (TestNodes cluster = new TestNodes(data)) {
            for (String founder : TestNodes.FOUNDERS) {
                cluster.start(founder, TestNodes.FOUNDERS, 1, null);
            }
            cluster.awaitReady();
            String leader = cluster.leader().status().node();
            List<String> others = TestNodes.FOUNDERS.stream()
                    .filter(name -> !name.equals(leader))
                    .toList();
            String faulty = others.get(0);
            Path obstacle = obstructVotes(data.resolve(faulty));
            cluster.nodes.remove(leader).halt();
            await().atMost(TestNodes.LONG)
                    .until(() -> String.valueOf(
                                    cluster.nodes.get(faulty).status().problem())
                            .contains("stopped taking part"));
            await().atMost(TestNodes.LONG)
                    .until(() -> String.valueOf(
                                    cluster.nodes.get(others.get(1)).status().problem())
                            .contains("no majority"));
            assertThat(cluster.nodes.values()).noneMatch(node -> node.status().isLeader());

            Files.delete(obstacle);
            cluster.nodes.remove(faulty).halt();
            cluster.start(faulty, TestNodes.FOUNDERS, 1, null);
            cluster.awaitReady();
            cluster.assertAllServe();
        }
    }

    /** JRaft writes a vote to this file first; a directory in its place is an error of the disk. */
    private static Path obstructVotes(Path node) throws IOException {
        return Files.createDirectory(node.resolve("meta/raft_meta.tmp"));
    }
}
