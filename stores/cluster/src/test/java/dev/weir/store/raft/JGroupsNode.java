package dev.weir.store.raft;

import dev.weir.StoreException;
import java.io.ByteArrayInputStream;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jgroups.JChannel;
import org.jgroups.protocols.raft.Role;
import org.jgroups.protocols.raft.TimedRaft;
import org.jgroups.raft.Options;
import org.jgroups.raft.RaftHandle;
import org.jgroups.raft.StateMachine;

/** A node whose consensus is jgroups-raft, on connections of JGroups. For comparison; without a secret. */
public final class JGroupsNode implements Consensus, StateMachine {
    private final RaftOptions options;
    private final State state;
    private final LogClock clock;
    private final Path directory;
    private volatile JChannel channel;
    private volatile RaftHandle handle;
    private volatile TimedRaft raft;
    private final ScheduledExecutorService later =
            Executors.newSingleThreadScheduledExecutor(task -> TcpTransport.daemon("jgroups-later", task));
    private final ExecutorService answers =
            Executors.newSingleThreadExecutor(task -> TcpTransport.daemon("jgroups-answers", task));
    private final long resendMillis;
    private volatile boolean closed;
    private volatile boolean caughtUp;
    private long lastMicros;
    private long index;

    public JGroupsNode(RaftOptions options, State state) throws IOException {
        this.options = options;
        this.state = state;
        this.clock = new LogClock(options.clock());
        this.resendMillis = options.timing().election().toMillis() / 2;
        this.directory = options.directory() == null ? Files.createTempDirectory("jgroups") : options.directory();
        Files.createDirectories(directory);
    }

    private void open() throws Exception {
        JChannel made = new JChannel(new ByteArrayInputStream(stack().getBytes(StandardCharsets.UTF_8)));
        TimedRaft itsRaft = made.getProtocolStack().findProtocol(TimedRaft.class);
        itsRaft.stampWith(this::stamped);
        itsRaft.addRoleListener(role -> {
            if (role == Role.Leader) {
                later.execute(this::begin);
            }
        });
        handle = new RaftHandle(made, this);
        made.name("n" + options.node());
        channel = made;
        raft = itsRaft;
    }

    private String stack() {
        InetSocketAddress bind = options.bind();
        String hosts = IntStream.range(0, options.size())
                .mapToObj(i -> i == options.node()
                        ? bind
                        : options.members().addresses(i).get(0))
                .map(a -> a.getAddress().getHostAddress() + "[" + a.getPort() + "]")
                .collect(Collectors.joining(","));
        String members =
                IntStream.range(0, options.size()).mapToObj(i -> "n" + i).collect(Collectors.joining(","));
        String stack = "<config xmlns='urn:org:jgroups'>"
                + "<TCP bind_addr='" + bind.getAddress().getHostAddress() + "' bind_port='" + bind.getPort()
                + "' port_range='0' tcp_nodelay='true' bundler_type='per-destination' sock_conn_timeout='200'"
                + " diag.enabled='false' thread_pool.min_threads='2' thread_pool.max_threads='50'/>"
                + "<TCPPING initial_hosts='" + hosts + "' port_range='0'/>"
                + "<MERGE3 min_interval='1000' max_interval='3000'/>"
                + "<FD_SOCK2/><FD_ALL3 timeout='1500' interval='300'/><VERIFY_SUSPECT2 timeout='300'/>"
                + "<pbcast.NAKACK2 use_mcast_xmit='false' xmit_interval='200'/>"
                + "<UNICAST3 xmit_interval='200' conn_close_timeout='1000'/>"
                + "<pbcast.STABLE desired_avg_gossip='50000' max_bytes='4M'/>"
                + "<raft.NO_DUPES/><pbcast.GMS print_local_addr='false' join_timeout='500'/>"
                + "<UFC max_credits='2M' min_threshold='0.4'/><MFC max_credits='2M' min_threshold='0.4'/>"
                + "<FRAG4 frag_size='60K'/><raft.ELECTION/>"
                + "<raft.TimedRaft members='" + members + "' raft_id='n" + options.node() + "' log_dir='" + directory
                + "' log_prefix='log' resend_interval='200' max_log_size='16000000'/>"
                + "<raft.REDIRECT/></config>";
        return stack.replace('\'', '"');
    }

    /** A quick restart is refused until the others have noticed that the old process is gone. */
    @Override
    public void start() {
        later.execute(this::connect);
    }

    private void connect() {
        if (closed) {
            return;
        }
        try {
            open();
            channel.connect(options.cluster());
        } catch (Exception e) {
            System.err.println("connect: " + e);
            JChannel refused = channel;
            if (refused != null) {
                refused.close();
            }
            var unused = later.schedule(this::connect, 200, TimeUnit.MILLISECONDS);
        }
    }

    /** A leader begins with an entry of its own term. */
    private void begin() {
        try {
            var unused = raft.setAsync(entry(new byte[0], false), 0, 2, Options.create(false));
        } catch (RuntimeException e) {
            // It does not lead any more.
        }
    }

    private static byte[] entry(byte[] body, boolean durable) {
        BytesOut out = new BytesOut(body.length + 8);
        out.flag(durable);
        out.bytes(body);
        return out.toBytes();
    }

    private byte[] stamped(byte[] command) {
        BytesOut out = new BytesOut(command.length + 24);
        out.number(now());
        out.number(options.clock().epochMillis());
        out.raw(command, 0, command.length);
        return out.toBytes();
    }

    private synchronized long now() {
        if (clock.micros() < 0) {
            clock.set(options.clock().epochMillis() * 1_000);
        }
        return clock.micros();
    }

    private synchronized void heard(long micros) {
        if (clock.micros() < micros) {
            clock.set(micros);
        }
    }

    @Override
    public byte[] apply(byte[] data, int offset, int length, boolean serialize) {
        byte[] command = new byte[length];
        System.arraycopy(data, offset, command, 0, length);
        BytesIn in = new BytesIn(command);
        lastMicros = Math.max(lastMicros, in.number());
        heard(lastMicros);
        long wall = in.number();
        boolean durable = in.flag();
        byte[] body = in.bytes();
        index++;
        return body.length == 0 ? body : state.apply(new Entry(index, 0, lastMicros, wall, durable, body));
    }

    @Override
    public void writeContentTo(DataOutput out) throws Exception {
        byte[] snapshot = state.snapshot();
        out.writeLong(lastMicros);
        out.writeLong(index);
        out.writeInt(snapshot.length);
        out.write(snapshot);
    }

    @Override
    public void readContentFrom(DataInput in) throws Exception {
        lastMicros = in.readLong();
        index = in.readLong();
        byte[] snapshot = new byte[in.readInt()];
        in.readFully(snapshot);
        state.restore(snapshot);
        heard(lastMicros);
    }

    private int leader() {
        TimedRaft current = raft;
        return current == null ? Raft.NOBODY : TimedRaft.number(current.leader());
    }

    @Override
    public CompletionStage<byte[]> submit(byte[] body, boolean durable) {
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        attempt(entry(body, durable), System.nanoTime() + options.patience().toNanos(), answer);
        return answer;
    }

    private void attempt(byte[] bytes, long deadline, CompletableFuture<byte[]> answer) {
        if (closed || System.nanoTime() - deadline > 0) {
            String why = closed
                    ? "the node is closed"
                    : leader() == Raft.NOBODY
                            ? "this node sees no majority of the cluster; it refuses until it does"
                            : "the cluster did not agree in time";
            answers.execute(() -> answer.completeExceptionally(new StoreException(why, true, null)));
            return;
        }
        CompletableFuture<byte[]> attempt;
        try {
            attempt = handle.setAsync(bytes, 0, bytes.length, Options.create(false))
                    .orTimeout(resendMillis, TimeUnit.MILLISECONDS);
        } catch (Exception e) {
            attempt = CompletableFuture.failedFuture(e);
        }
        attempt.whenComplete((reply, failure) -> {
            if (failure == null && reply != null) {
                answers.execute(() -> answer.complete(reply));
            } else {
                var unused = later.schedule(() -> attempt(bytes, deadline, answer), 3, TimeUnit.MILLISECONDS);
            }
        });
    }

    @Override
    public NodeStatus status() {
        int leader = leader();
        boolean leads = leader == options.node();
        String problem = null;
        if (leader == Raft.NOBODY) {
            problem = "this node sees no majority of the cluster";
            caughtUp = false;
        } else if (!caughtUp) {
            caughtUp = leads || (raft.heardCommit() >= 0 && raft.commitIndex() >= raft.heardCommit());
            problem = caughtUp ? null : "this node is not caught up";
        }
        return new NodeStatus(
                leads,
                leader,
                raft == null ? 0 : raft.currentTerm(),
                raft == null ? 0 : raft.commitIndex(),
                problem == null && !closed,
                true,
                problem);
    }

    @Override
    public int port() {
        return options.bind().getPort();
    }

    @Override
    public void close() {
        halt();
    }

    @Override
    public void halt() {
        if (!closed) {
            closed = true;
            if (channel != null) {
                channel.close();
            }
        }
    }
}
