package dev.weir.store.raft;

import dev.weir.StoreException;
import dev.weir.store.raft.BytesIn.MalformedException;
import dev.weir.store.raft.Calls.Call;
import dev.weir.store.raft.Message.Applied;
import dev.weir.store.raft.Message.Submit;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A node of a cluster, running: one thread that does all that {@link Raft} asks, and the way in for what is to be agreed.
 *
 * <p>A submission goes to whoever leads, and is sent again when nobody has answered or the leader has changed, until its
 * time is up. So it may be in the log several times: what it is applied to must count it once.
 */
public final class RaftNode implements Consensus {
    private static final Logger LOG = System.getLogger(RaftNode.class.getName());
    private static final int MOST_AT_ONCE = 1_024;
    private static final int MOST_WAITING = 10_000;
    private static final long REFUSED_PAUSE_NANOS = 3_000_000;

    private final RaftOptions options;
    private final Journal journal;
    private final Raft raft;
    private final TcpTransport transport;
    private final LinkedBlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Calls calls = new Calls();
    /** What this node, leading, has put into the log for whom. Of the node's thread alone. */
    private final Map<Long, Origin> origins = new HashMap<>();

    private final long tickMillis;
    private final long resendNanos;
    private volatile NodeStatus status;
    private volatile boolean closing;
    private volatile boolean halted;
    private volatile boolean over;
    private long now = System.nanoTime();
    private long leaderlessSince = now;

    private sealed interface Event {}

    private record Received(int from, Message message) implements Event {}

    private record HungUp(int from) implements Event {}

    private record Submitted(Calls.Call call) implements Event {}

    private record Origin(int node, long number, long term) {}

    /**
     * A node that does not take part yet.
     *
     * @throws IOException if the directory or the address cannot be used
     */
    public RaftNode(RaftOptions options, State state) throws IOException {
        this.options = options;
        this.tickMillis = Math.max(1, options.timing().heartbeat().toMillis() / 5);
        this.resendNanos = options.timing().election().toNanos() / 2;
        this.journal = options.directory() == null ? new Journal() : FileJournal.open(options.directory());
        this.raft = new Raft(
                options.node(),
                options.size(),
                journal,
                new Raft.Machine() {
                    @Override
                    public void apply(Entry entry) {
                        applied(entry, state.apply(entry));
                    }

                    @Override
                    public byte[] snapshot() {
                        return state.snapshot();
                    }

                    @Override
                    public void restore(byte[] snapshot) {
                        state.restore(snapshot);
                    }
                },
                this::send,
                new LogClock(options.clock()),
                options.timing(),
                SnapshotRule.DEFAULTS,
                new SplittableRandom(),
                now);
        this.status = new NodeStatus(false, Raft.NOBODY, 0, 0, false, false, null);
        try {
            this.transport = new TcpTransport(
                    options.bind(), options.identity(), options.members(), new TcpTransport.Receiver() {
                        @Override
                        public void received(int from, Message message) {
                            if (message instanceof Applied reply && reply.accepted()) {
                                calls.answered(reply.number(), reply.reply());
                            } else {
                                events.add(new Received(from, message));
                            }
                        }

                        @Override
                        public void disconnected(int from) {
                            events.add(new HungUp(from));
                        }
                    });
        } catch (IOException e) {
            journal.close();
            calls.end();
            throw e;
        }
    }

    @Override
    public void start() {
        TcpTransport.daemon("weir-cluster-" + options.node(), this::run).start();
    }

    @Override
    public NodeStatus status() {
        return status;
    }

    @Override
    public int port() {
        return transport.port();
    }

    @Override
    public CompletionStage<byte[]> submit(byte[] body, boolean durable) {
        long deadline = System.nanoTime() + options.patience().toNanos();
        Call call = calls.create(body, durable, deadline);
        NodeStatus seen = status;
        if (closing) {
            call.answer.completeExceptionally(new StoreException("the node is closed", false, null));
        } else if (seen.leader() == Raft.NOBODY || seen.leader() == options.node()) {
            events.add(new Submitted(call));
        } else {
            // Straight to who leads elsewhere: the node's thread need not wake up for what it only passes on. It will
            // for what is not answered in time.
            call.sentTo = seen.leader();
            call.sentAt = System.nanoTime();
            calls.open(call);
            transport.send(call.sentTo, new Submit(seen.term(), call.number, durable, body));
        }
        if (over) {
            failCalls("the node is closed");
        }
        return call.answer;
    }

    @Override
    public void close() {
        if (!closing) {
            closing = true;
            try {
                boolean unused = ended.await(5, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void halt() {
        halted = true;
        close();
    }

    // ---- the node's thread --------------------------------------------------------------------------------------

    private void run() {
        String failure = null;
        try {
            while (!isDone()) {
                step();
            }
        } catch (Throwable e) {
            // Better no node than one that does not remember what it says: the others go on without it.
            LOG.log(Level.ERROR, "this node of the cluster has stopped", e);
            failure = "it has failed: " + e;
        }
        closing = true;
        transport.close();
        journal.close();
        over = true;
        failCalls("the node is closed");
        status = new NodeStatus(false, Raft.NOBODY, raft.term(), raft.commit(), false, false, failure);
        calls.end();
        ended.countDown();
    }

    private long closeBy;
    private boolean ledAtTheEnd;

    /** Whether it may stop: somebody else leads, or nobody can, and what was under way is answered. */
    private boolean isDone() {
        if (!closing) {
            return false;
        }
        if (halted) {
            return true;
        }
        if (closeBy == 0) {
            closeBy = now
                    + Math.max(
                            TimeUnit.SECONDS.toNanos(1),
                            2 * options.timing().election().toNanos());
        }
        ledAtTheEnd |= raft.isLeader();
        // One that led stays until it sees its heir lead: the heir may need this node's vote.
        boolean hasLeft = !raft.leave(now) && !(ledAtTheEnd && raft.leader() == Raft.NOBODY);
        return now - closeBy > 0 || (hasLeft && calls.isEmpty() && origins.isEmpty());
    }

    private void step() throws InterruptedException {
        Event event = events.poll(tickMillis, TimeUnit.MILLISECONDS);
        now = System.nanoTime();
        raft.tick(now);
        for (int i = 0; event != null && i < MOST_AT_ONCE; i++) {
            handle(event);
            event = i + 1 < MOST_AT_ONCE ? events.poll() : null;
        }
        raft.flush();
        if (!raft.isLeader() && !origins.isEmpty()) {
            origins.values().forEach(origin -> answer(origin, false, new byte[0]));
            origins.clear();
        }
        attendToCalls();
        raft.flush();
        publish();
    }

    private void handle(Event event) {
        if (event instanceof Submitted submitted) {
            calls.open(submitted.call);
        } else if (event instanceof HungUp hungUp) {
            raft.disconnected(hungUp.from, now);
            calls.hungUp(hungUp.from);
        } else if (event instanceof Received received) {
            Message message = received.message;
            if (message instanceof Submit submit) {
                propose(new Origin(received.from, submit.number(), raft.term()), submit.body(), submit.durable());
            } else if (message instanceof Applied reply) {
                calls.refused(reply.number(), now + REFUSED_PAUSE_NANOS, now - resendNanos);
            } else {
                receive(received.from, message);
            }
        }
    }

    private void receive(int from, Message message) {
        if (!Plausible.isPlausible(message, raft.term())) {
            transport.refused(
                    from,
                    "a message of term " + message.term() + " has numbers that no node can have come by; this one is in"
                            + " term " + raft.term() + ". If node " + from
                            + " is yours, stop it and empty its data directory");
            return;
        }
        try {
            raft.receive(from, message, now);
        } catch (MalformedException e) {
            // A snapshot that is none: it is refused before anything is changed.
            transport.refused(from, "what it sent is malformed: " + e.getMessage());
        }
    }

    private void propose(Origin origin, byte[] body, boolean durable) {
        long index = origins.size() < MOST_WAITING && body.length > 0 ? raft.propose(body, durable, now) : -1;
        if (index < 0) {
            answer(origin, false, new byte[0]);
        } else {
            Origin before = origins.put(index, origin);
            if (before != null) {
                answer(before, false, new byte[0]);
            }
        }
    }

    private void applied(Entry entry, byte[] reply) {
        Origin origin = origins.remove(entry.index());
        if (origin != null) {
            answer(origin, origin.term == entry.term(), reply);
        }
    }

    private void answer(Origin origin, boolean accepted, byte[] reply) {
        if (origin.node != options.node()) {
            transport.send(origin.node, new Applied(raft.term(), origin.number, accepted, reply));
        } else if (accepted) {
            calls.answered(origin.number, reply);
        } else {
            // Whoever refused is about to be followed by another.
            calls.refused(origin.number, now + REFUSED_PAUSE_NANOS, now - resendNanos);
        }
    }

    /** Sends what has not been sent to whoever leads, and gives up what has waited too long. */
    private void attendToCalls() {
        boolean hasLeader = raft.leader() != Raft.NOBODY;
        leaderlessSince = hasLeader ? now : leaderlessSince;
        boolean isHopeless =
                !hasLeader && now - leaderlessSince > options.patience().toNanos();
        List<Call> toPropose = new ArrayList<>();
        for (Call call : calls.all()) {
            if (isHopeless || now - call.deadline > 0) {
                calls.fail(call, whyNot());
            } else if (hasLeader
                    && (call.sentTo != raft.leader()
                            || (now - call.sentAt > resendNanos && now - call.notBefore >= 0))) {
                call.sentTo = raft.leader();
                call.sentAt = now;
                if (raft.isLeader()) {
                    toPropose.add(call);
                } else {
                    transport.send(call.sentTo, new Submit(raft.term(), call.number, call.durable, call.body));
                }
            }
        }
        for (Call call : toPropose) {
            propose(new Origin(options.node(), call.number, raft.term()), call.body, call.durable);
        }
    }

    private String whyNot() {
        return raft.leader() == Raft.NOBODY
                ? "this node sees no majority of the cluster; it refuses until it does"
                : "the cluster did not agree within " + options.patience().toMillis() + " ms";
    }

    private void failCalls(String why) {
        for (Event event = events.poll(); event != null; event = events.poll()) {
            if (event instanceof Submitted submitted) {
                calls.open(submitted.call);
            }
        }
        calls.failAll(why);
    }

    private void send(int to, Message message) {
        transport.send(to, message);
    }

    private void publish() {
        boolean isLeader = raft.isLeader();
        NodeStatus last = status;
        String problem = null;
        if (raft.leader() == Raft.NOBODY) {
            String refusal = transport.refusal();
            problem = "this node sees no majority of the cluster" + (refusal == null ? "" : " (" + refusal + ")");
        } else if (!raft.isTrusted()) {
            problem = "this node is still learning what the others know";
        } else if (!raft.isCurrent()) {
            problem = "this node is not caught up";
        }
        boolean same = last.isLeader() == isLeader
                && last.leader() == raft.leader()
                && last.term() == raft.term()
                && last.commit() == raft.commit()
                && Objects.equals(last.problem(), problem);
        if (!same) {
            if (last.leader() != raft.leader()) {
                LOG.log(
                        Level.INFO,
                        raft.leader() == Raft.NOBODY
                                ? "the cluster has no leader that this node knows"
                                : "node " + raft.leader() + " leads in term " + raft.term());
            }
            status = new NodeStatus(
                    isLeader, raft.leader(), raft.term(), raft.commit(), problem == null, raft.isTrusted(), problem);
        }
    }
}
