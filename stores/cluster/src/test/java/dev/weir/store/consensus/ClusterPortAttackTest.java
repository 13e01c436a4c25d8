package dev.weir.store.consensus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.alipay.sofa.jraft.rpc.RpcRequests;
import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A cluster of two out of three nodes, and an attacker who can reach its ports. */
@Tag("io")
class ClusterPortAttackTest {
    private static final long ABSURD = Long.MAX_VALUE;
    private static final String VICTIM = TestNodes.FOUNDERS.get(0);
    private static final String MISSING = TestNodes.FOUNDERS.get(2);

    private final TestNodes cluster = new TestNodes(null);
    private final List<Socket> sockets = new ArrayList<>();

    @AfterEach
    void end() throws IOException {
        cluster.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    private static @Nullable TlsFiles tls(boolean isSecured) {
        return isSecured ? TestNodes.tls("node") : null;
    }

    private Socket connect(String node) throws IOException {
        Socket socket = new Socket();
        sockets.add(socket);
        socket.connect(cluster.address(node));
        socket.setSoTimeout(90_000);
        return socket;
    }

    private static Socket secured(Socket socket, String certificate) throws IOException {
        Socket secured = TestNodes.tls(certificate)
                .current()
                .context()
                .getSocketFactory()
                .createSocket(socket, "localhost", socket.getPort(), true);
        secured.setSoTimeout(90_000);
        return secured;
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private static byte[] frame(byte[] content) {
        return ByteBuffer.allocate(4 + content.length)
                .putInt(content.length)
                .put(content)
                .array();
    }

    private static byte[] greeting(String cluster) {
        BytesOut out = new BytesOut();
        out.i32(0x57454952);
        out.text(cluster);
        out.u8(PeerTransport.VERSION);
        out.number(1);
        out.number(1);
        out.text(MISSING);
        return frame(out.toBytes());
    }

    private static byte[] call(Message message) {
        byte[] body = JRaftRpc.encode(message);
        return frame(ByteBuffer.allocate(9 + body.length)
                .put((byte) JRaftRpc.CALL)
                .putLong(1)
                .put(body)
                .array());
    }

    private static byte[] joined(byte[]... parts) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.write(part);
        }
        return all.toByteArray();
    }

    /** None of these knows the cluster's name. */
    private static List<byte[]> whatStrangersSend() throws IOException {
        return List.of(
                "GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII),
                random(3),
                random(100),
                random(1 << 20),
                frame(random(2_000)),
                frame(new byte[0]),
                new byte[] {0x7f, -1, -1, -1},
                new byte[] {-1, -1, -1, -1},
                greeting("guess"),
                joined(greeting("guess"), call(voteRequest(ABSURD))));
    }

    /** All that comes back until the other side closes. */
    private static String say(Socket socket, byte[] said) {
        StringBuilder heard = new StringBuilder();
        try {
            socket.getOutputStream().write(said);
            socket.getOutputStream().flush();
            for (int next = socket.getInputStream().read();
                    next >= 0;
                    next = socket.getInputStream().read()) {
                heard.append((char) next);
            }
        } catch (SocketTimeoutException stillOpen) {
            throw new AssertionError("a stranger was not disconnected, after hearing " + heard, stillOpen);
        } catch (SocketException | javax.net.ssl.SSLException reset) {
            // It closed before it had read everything.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return heard.toString();
    }

    private static void assertRevealsNothing(String heard) {
        assertThat(heard).doesNotContain(TestNodes.NAME).doesNotContain("billing");
        assertThat(heard).as("a version").doesNotContainPattern("[0-9]\\.[0-9]|protocol|format");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void strangers_whateverTheySend_learnNothingAndDisturbNobody(boolean isSecured) throws Exception {
        cluster.startTwoOfThree(tls(isSecured));
        // Each is disconnected after its own time.
        List<CompletableFuture<String>> heard = new ArrayList<>();
        for (byte[] sent : whatStrangersSend()) {
            Socket socket = connect(VICTIM);
            heard.add(CompletableFuture.supplyAsync(() -> say(socket, sent), task -> new Thread(task).start()));
        }
        for (CompletableFuture<String> one : heard) {
            assertRevealsNothing(one.get());
        }
        cluster.assertAllServe();
    }

    /** It even knows the name of the cluster and of a member. */
    @Test
    void peer_withACertificateOfAnotherCluster_learnsNothingAndChangesNothing() throws Exception {
        cluster.startTwoOfThree(tls(true));
        for (Message message : absurdMessages()) {
            String heard = say(secured(connect(VICTIM), "stranger"), joined(greeting(TestNodes.NAME), call(message)));
            assertRevealsNothing(heard);
        }
        cluster.assertAllServe();
    }

    @Test
    void peer_withoutACertificate_learnsNothingAndChangesNothing() throws Exception {
        cluster.startTwoOfThree(tls(true));
        String heard = say(connect(VICTIM), joined(greeting(TestNodes.NAME), call(voteRequest(ABSURD))));
        assertRevealsNothing(heard);
        cluster.assertAllServe();
    }

    /** Another program has the address of the third node. */
    @Test
    void nodes_thatConnectToAnImpostor_revealNothingToIt() throws Exception {
        cluster.startTwoOfThree(tls(true));
        try (ServerSocket impostor = new ServerSocket()) {
            impostor.bind(cluster.address(MISSING));
            for (int call = 0; call < 4; call++) {
                try (Socket socket = impostor.accept()) {
                    socket.setSoTimeout(90_000);
                    assertRevealsNothing(say(socket, frame(random(100))));
                }
            }
        }
        cluster.assertAllServe();
    }

    /** Each sends a byte now and then, and so never waits long for the next. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void halfOpenConnections_moreThanFit_doNotShutOutANode(boolean isSecured) throws Exception {
        cluster.startTwoOfThree(tls(isSecured));
        List<Socket> slow = new ArrayList<>();
        for (int i = 0; i < 2 * 300; i++) {
            Socket socket = connect(TestNodes.FOUNDERS.get(i % 2));
            slow.add(socket);
            drip(socket, isSecured ? new byte[] {0x16, 3, 3, 0x3f} : new byte[] {0, 0, 0xf});
        }
        Thread dripping = new Thread(() -> {
            while (!Thread.currentThread().isInterrupted()) {
                slow.forEach(socket -> drip(socket, new byte[] {0}));
                try {
                    Thread.sleep(100);
                } catch (InterruptedException e) {
                    return;
                }
            }
        });
        dripping.start();
        try {
            cluster.start(MISSING, TestNodes.FOUNDERS, 1, tls(isSecured));
            cluster.awaitReady();
            cluster.assertAllServe();
            await().atMost(TestNodes.LONG).until(() -> slow.stream().allMatch(ClusterPortAttackTest::isClosed));
        } finally {
            dripping.interrupt();
            dripping.join();
        }
    }

    private static void drip(Socket socket, byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
        } catch (IOException e) {
            // It was closed.
        }
    }

    private static boolean isClosed(Socket socket) {
        try {
            socket.setSoTimeout(1);
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException stillOpen) {
            return false;
        } catch (IOException reset) {
            return true;
        }
    }

    private static RpcRequests.RequestVoteRequest voteRequest(long term) {
        return RpcRequests.RequestVoteRequest.newBuilder()
                .setGroupId(TestNodes.NAME)
                .setServerId(MISSING + ":1")
                .setPeerId(VICTIM + ":1")
                .setTerm(term)
                .setLastLogIndex(ABSURD)
                .setLastLogTerm(term)
                .setPreVote(false)
                .build();
    }

    private static List<Message> absurdMessages() {
        return List.of(
                voteRequest(ABSURD),
                voteRequest(1L << 40),
                voteRequest(1L << 40).toBuilder().setPreVote(true).build(),
                RpcRequests.AppendEntriesRequest.newBuilder()
                        .setGroupId(TestNodes.NAME)
                        .setServerId(MISSING + ":1")
                        .setPeerId(VICTIM + ":1")
                        .setTerm(ABSURD)
                        .setPrevLogTerm(0)
                        .setPrevLogIndex(0)
                        .setCommittedIndex(ABSURD)
                        .setData(ByteString.EMPTY)
                        .build(),
                RpcRequests.TimeoutNowRequest.newBuilder()
                        .setGroupId(TestNodes.NAME)
                        .setServerId(MISSING + ":1")
                        .setPeerId(VICTIM + ":1")
                        .setTerm(ABSURD)
                        .build());
    }

    /** Without TLS a program on the same machine that knows the names passes for a node. */
    @Test
    void messages_withAbsurdTerms_areRefusedAndLeaveNoTrace() throws Exception {
        cluster.startTwoOfThree(null);
        for (int victim = 0; victim < 2; victim++) {
            for (Message message : absurdMessages()) {
                Socket socket = connect(TestNodes.FOUNDERS.get(victim));
                DataOutputStream out = new DataOutputStream(socket.getOutputStream());
                DataInputStream in = new DataInputStream(socket.getInputStream());
                out.write(greeting(TestNodes.NAME));
                out.write(call(message));
                out.flush();
                in.readNBytes(in.readInt());
                byte[] reply = in.readNBytes(in.readInt());
                assertThat(reply[0]).as("a failure").isEqualTo((byte) 2);
                socket.close();
            }
        }
        cluster.assertAllServe();
    }

    @Test
    void frame_thatIsAnnouncedHuge_disturbsNobody() throws Exception {
        cluster.startTwoOfThree(null);
        for (int length : new int[] {64 << 20, Integer.MAX_VALUE, -1, 3}) {
            Socket socket = connect(VICTIM);
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            out.write(greeting(TestNodes.NAME));
            out.writeInt(length);
            out.flush();
            await().atMost(TestNodes.LONG).until(() -> isClosed(socket));
        }
        cluster.assertAllServe();
    }
}
