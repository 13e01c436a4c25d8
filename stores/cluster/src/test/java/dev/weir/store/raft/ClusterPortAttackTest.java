package dev.weir.store.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.fixture.Ports;
import dev.weir.store.raft.Message.Append;
import dev.weir.store.raft.Message.Appended;
import dev.weir.store.raft.Message.Install;
import dev.weir.store.raft.Message.Installed;
import dev.weir.store.raft.Message.Vote;
import dev.weir.store.raft.Message.VoteRequest;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A cluster of two out of three nodes, and an attacker who can reach its ports. */
@Tag("io")
class ClusterPortAttackTest {
    private static final Duration LONG = Duration.ofSeconds(90);
    private static final String NAME = "payments-eu";
    private static final String MEMBERS = "billing-host:7800,ledger-host:7800";
    private static final Secret SECRET = Secret.of("correct horse battery", NAME);
    private static final Timing TIMING =
            new Timing(Duration.ofMillis(40), Duration.ofMillis(400), Duration.ofMillis(400));
    private static final long ABSURD = Long.MAX_VALUE;

    private final List<InetSocketAddress> addresses = new ArrayList<>();
    private final List<RaftNode> nodes = new ArrayList<>();
    private final List<Socket> sockets = new ArrayList<>();

    @AfterEach
    void end() throws IOException {
        nodes.forEach(RaftNode::halt);
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    private void startTwoOfThree(boolean hasSecret) throws IOException {
        for (int i = 0; i < 3; i++) {
            addresses.add(new InetSocketAddress(InetAddress.getLoopbackAddress(), Ports.reserve()));
        }
        for (int i = 0; i < 2; i++) {
            start(i, hasSecret);
        }
        awaitReady();
    }

    private void start(int number, boolean hasSecret) throws IOException {
        RaftNode node = new RaftNode(
                new RaftOptions(
                        NAME,
                        number,
                        3,
                        MEMBERS,
                        addresses.get(number),
                        peer -> List.of(addresses.get(peer)),
                        null,
                        1,
                        hasSecret ? SECRET : null,
                        TIMING,
                        Duration.ofSeconds(60),
                        LogClock.Clock.SYSTEM),
                new Echo());
        nodes.add(node);
        node.start();
    }

    /** Answers with what it is given. */
    private static final class Echo implements Consensus.State {
        @Override
        public byte[] apply(Entry entry) {
            return entry.body();
        }

        @Override
        public byte[] snapshot() {
            return new byte[0];
        }

        @Override
        public void restore(byte[] snapshot) {
            throw new BytesIn.MalformedException("no snapshot of this state");
        }
    }

    private void awaitReady() {
        await().atMost(LONG)
                .until(() -> nodes.stream().allMatch(node -> node.status().isReady()));
    }

    private void assertTheNodesGoOn() throws Exception {
        for (RaftNode node : nodes) {
            byte[] body = {1, 2, 3};
            assertThat(node.submit(body, false).toCompletableFuture().get(90, TimeUnit.SECONDS))
                    .isEqualTo(body);
            assertThat(node.status().term()).as("the term").isLessThan(1_000);
        }
    }

    private Socket connect(int node) throws IOException {
        Socket socket = new Socket();
        sockets.add(socket);
        socket.connect(addresses.get(node));
        socket.setSoTimeout(90_000);
        return socket;
    }

    // ---- what the cluster tells -----------------------------------------------------------------------------------

    private static byte[] frame(byte[] content) {
        return ByteBuffer.allocate(4 + content.length)
                .putInt(content.length)
                .put(content)
                .array();
    }

    /** As the first version of the protocol began. */
    private static byte[] oldGreeting(boolean hasSecret, long version) {
        BytesOut out = new BytesOut();
        out.i32(0x57454952);
        out.number(version);
        out.number(1);
        out.text("guess");
        out.text("guess");
        out.number(3);
        out.number(2);
        out.flag(hasSecret);
        out.bytes(new byte[32]);
        return frame(out.toBytes());
    }

    /** As this version begins, and goes on with a proof that is none. */
    private static byte[] opening(boolean hasSecret) {
        BytesOut out = new BytesOut();
        out.i32(0x57454952);
        out.flag(hasSecret);
        out.bytes(new byte[32]);
        return frame(out.toBytes());
    }

    private static byte[] introduction() {
        BytesOut identity = new BytesOut();
        identity.text("guess");
        identity.text("guess");
        identity.number(Handshake.VERSION);
        identity.number(1);
        identity.number(3);
        identity.number(2);
        BytesOut out = new BytesOut();
        out.bytes(new byte[32]);
        out.bytes(identity.toBytes());
        return frame(out.toBytes());
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private static byte[] joined(byte[]... parts) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.write(part);
        }
        return all.toByteArray();
    }

    static List<byte[]> whatStrangersSay() throws IOException {
        return List.of(
                "GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII),
                random(3),
                random(100),
                random(1 << 20),
                frame(random(2_000)),
                frame(new byte[0]),
                new byte[] {0x7f, -1, -1, -1},
                new byte[] {-1, -1, -1, -1},
                oldGreeting(false, 1),
                oldGreeting(true, 1),
                oldGreeting(true, 77),
                joined(opening(false), introduction()),
                joined(opening(true), introduction()),
                joined(opening(true), frame(random(4_000))),
                joined(opening(false), frame(random(4_000))));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void strangers_whateverTheySay_hearNothingOfTheClusterAndDisturbNobody(boolean hasSecret) throws Exception {
        startTwoOfThree(hasSecret);
        for (byte[] said : whatStrangersSay()) {
            String heard = say(connect(0), said);
            assertThat(heard).doesNotContain(NAME).doesNotContain("billing").doesNotContain("ledger");
            assertThat(heard).as("a version").doesNotContainPattern("speaks|[0-9]\\.[0-9]");
        }
        assertTheNodesGoOn();
    }

    /** All that comes back until the other side hangs up. */
    private static String say(Socket socket, byte[] said) throws IOException {
        StringBuilder heard = new StringBuilder();
        try {
            socket.getOutputStream().write(said);
            socket.getOutputStream().flush();
            for (int next = socket.getInputStream().read();
                    next >= 0;
                    next = socket.getInputStream().read()) {
                heard.append((char) next);
            }
        } catch (SocketTimeoutException stillThere) {
            throw new AssertionError("a stranger was not cut off, after hearing " + heard, stillThere);
        } catch (SocketException reset) {
            // It hung up before it had read everything.
        }
        socket.close();
        return heard.toString();
    }

    /** Somebody else has the address of the third node. */
    @Test
    void nodes_thatCallAnImpostor_tellItNothingBeforeItProvesTheSecret() throws Exception {
        startTwoOfThree(true);
        try (ServerSocket impostor = new ServerSocket()) {
            impostor.bind(addresses.get(2));
            for (int call = 0; call < 4; call++) {
                try (Socket socket = impostor.accept()) {
                    socket.setSoTimeout(90_000);
                    BytesOut accepted = new BytesOut();
                    accepted.text("");
                    accepted.bytes(new byte[32]);
                    String heard = say(socket, joined(frame(accepted.toBytes()), frame(accepted.toBytes())));
                    assertThat(heard).doesNotContain(NAME).doesNotContain("billing");
                }
            }
        }
        assertTheNodesGoOn();
    }

    // ---- connections ----------------------------------------------------------------------------------------------

    /** Each sends a byte now and then, and so never waits long for the next. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void halfOpenConnections_moreThanFit_doNotShutOutANode(boolean hasSecret) throws Exception {
        startTwoOfThree(hasSecret);
        List<Socket> slow = new ArrayList<>();
        for (int i = 0; i < 2 * 300; i++) {
            Socket socket = connect(i % 2);
            slow.add(socket);
            drip(socket, new byte[] {0, 0, 0xf});
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
            start(2, hasSecret);
            awaitReady();
            assertTheNodesGoOn();
            await().atMost(LONG).until(() -> slow.stream().allMatch(ClusterPortAttackTest::isHungUpOn));
        } finally {
            dripping.interrupt();
            dripping.join();
        }
    }

    private static void drip(Socket socket, byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
        } catch (IOException e) {
            // It was cut off.
        }
    }

    private static boolean isHungUpOn(Socket socket) {
        try {
            socket.setSoTimeout(1);
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException stillThere) {
            return false;
        } catch (IOException reset) {
            return true;
        }
    }

    // ---- messages of one who passes for a node ----------------------------------------------------------------------

    /** The third node's place, taken by somebody who knows all that nodes must know. */
    private final class Intruder implements AutoCloseable {
        private final Handshake handshake;
        private final ServerSocket server = new ServerSocket();
        private final Thread accepting = TcpTransport.daemon("intruder", this::acceptAll);
        private final List<DataOutputStream> outs = new ArrayList<>();
        private final List<Secret.@Nullable Seal> seals = new ArrayList<>();
        /** What the nodes say of themselves, by node. */
        private final List<BlockingQueue<Message.Hello>> hellos =
                List.of(new LinkedBlockingQueue<>(), new LinkedBlockingQueue<>());

        Intruder(boolean hasSecret) throws IOException {
            handshake = new Handshake(new Handshake.Identity(NAME, 3, MEMBERS, 1, 2, hasSecret ? SECRET : null));
            server.bind(addresses.get(2));
            accepting.start();
            for (int called = 0; called < 2; called++) {
                Socket socket = connect(called);
                DataOutputStream out = new DataOutputStream(socket.getOutputStream());
                seals.add(handshake
                        .call(new DataInputStream(socket.getInputStream()), out)
                        .seal());
                outs.add(out);
            }
        }

        private void acceptAll() {
            while (!server.isClosed()) {
                try {
                    Socket socket = server.accept();
                    TcpTransport.daemon("intruder", () -> listen(socket)).start();
                } catch (IOException e) {
                    return;
                }
            }
        }

        private void listen(Socket socket) {
            try (socket) {
                DataInputStream in = new DataInputStream(socket.getInputStream());
                Handshake.Result caller = handshake.answer(in, new DataOutputStream(socket.getOutputStream()));
                while (true) {
                    byte[] frame = in.readNBytes(in.readInt());
                    byte[] plain = caller.seal() == null ? frame : caller.seal().next(frame, frame.length);
                    if (plain.length > 0
                            && MessageCodec.read(new BytesIn(plain)) instanceof Message.Hello hello
                            && !hello.asks()) {
                        hellos.get(caller.node()).add(hello);
                    }
                }
            } catch (IOException | GeneralSecurityException e) {
                // The test is over, or the node hung up.
            }
        }

        /** Sends it to both, and waits until each says in which term it is after it. */
        void send(Message message) throws Exception {
            for (int node = 0; node < 2; node++) {
                int asked = node;
                hellos.get(node).clear();
                frame(node, message);
                await().atMost(LONG).until(() -> {
                    frame(asked, new Message.Hello(0, true, true, true));
                    Message.Hello hello = hellos.get(asked).poll(50, TimeUnit.MILLISECONDS);
                    if (hello != null) {
                        assertThat(hello.term()).as("term after %s", message).isLessThan(1_000);
                    }
                    return hello != null;
                });
            }
        }

        private void frame(int node, Message message) throws Exception {
            BytesOut frame = new BytesOut();
            MessageCodec.write(frame, message);
            byte[] plain = frame.toBytes();
            Secret.Seal seal = seals.get(node);
            byte[] sent = seal == null ? plain : seal.next(plain, plain.length);
            outs.get(node).writeInt(sent.length);
            outs.get(node).write(sent);
            outs.get(node).flush();
        }

        /** The port is free only when nobody waits for a call any more. */
        @Override
        public void close() throws IOException, InterruptedException {
            server.close();
            accepting.join();
        }
    }

    private static final Entry ABSURD_ENTRY = new Entry(1, ABSURD, 1, 1, false, new byte[] {1});
    private static final Entry LATE_ENTRY = new Entry(1, 1, ABSURD, 1, false, new byte[] {1});

    /** Of the present term and below only what is harmless if it is refused: this attacker can lead as any node can. */
    private static List<Message> absurdMessages() {
        return List.of(
                new VoteRequest(ABSURD, false, ABSURD, ABSURD),
                new VoteRequest(ABSURD, false, 0, 0),
                new VoteRequest(ABSURD, true, ABSURD, ABSURD),
                new VoteRequest(1L << 40, false, 1, 1),
                new VoteRequest(100, false, ABSURD, 1),
                new VoteRequest(100, false, 1, ABSURD),
                new Vote(ABSURD, 1, false, false, 0),
                new Vote(100, 1, false, true, ABSURD),
                new Append(ABSURD, 0, 0, 0, 0, 0, 1, 0, List.of()),
                new Append(ABSURD, 0, 0, 1, 1, 1, 1, 0, List.of(ABSURD_ENTRY)),
                new Append(100, 0, 0, 1, 1, 1, 1, 0, List.of(LATE_ENTRY)),
                new Append(100, 0, 0, 0, 0, ABSURD, 1, 0, List.of()),
                new Appended(ABSURD, true, ABSURD, ABSURD, true),
                new Install(ABSURD, ABSURD, ABSURD, ABSURD, ABSURD, 1, 0, 0, new byte[0]),
                new Install(100, 5, ABSURD, 1, 1, 1, 0, 0, new byte[0]),
                new Install(100, ABSURD, 1, 1, 1, 1, 0, 0, new byte[0]),
                new Installed(ABSURD, 1, 1, 1, true),
                new Message.Hello(ABSURD, true, true, true),
                new Message.TakeOver(ABSURD));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void messages_withAbsurdNumbers_areRefusedAndLeaveNoTrace(boolean hasSecret) throws Exception {
        startTwoOfThree(hasSecret);
        try (Intruder intruder = new Intruder(hasSecret)) {
            for (Message message : absurdMessages()) {
                intruder.send(message);
            }
        }
        assertTheNodesGoOn();
    }

    /** It is one whole piece, and nothing that the state can begin anew from. */
    @Test
    void snapshot_thatIsNone_stopsNobody() throws Exception {
        startTwoOfThree(false);
        try (Intruder intruder = new Intruder(false)) {
            intruder.send(new Install(100, 1_000_000, 50, 1, 1, 1, 0, 3, new byte[] {1, 2, 3}));
        }
        assertTheNodesGoOn();
    }

    @Test
    void frame_thatIsAnnouncedHuge_disturbsNobody() throws Exception {
        startTwoOfThree(false);
        for (int length : new int[] {64 << 20, Integer.MAX_VALUE, -1}) {
            try (Intruder intruder = new Intruder(false)) {
                for (DataOutputStream out : intruder.outs) {
                    out.writeInt(length);
                    out.flush();
                }
                assertTheNodesGoOn();
            }
        }
    }
}
