package dev.weir.store.raft;

import dev.weir.StoreException;
import dev.weir.store.raft.Message.Applied;
import dev.weir.store.raft.Message.Submit;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

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
    private final ExecutorService answers;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final AtomicLong numbers = new AtomicLong();
    /** What this node has submitted and nobody has answered. Of the node's thread alone. */
    private final Map<Long, Call> calls = new LinkedHashMap<>();
    /** What this node, leading, has put into the log for whom. Of the node's thread alone. */
    private final Map<Long, Origin> origins = new HashMap<>();

    private final long tickMillis;
    private final long resendNanos;
    private volatile NodeStatus status;
    private volatile boolean closing;
    private volatile boolean halted;
    private long now = System.nanoTime();
    private long leaderlessSince = now;

    private sealed interface Event {}

    private record Received(int from, Message message) implements Event {}

    private record HungUp(int from) implements Event {}

    private record Origin(int node, long number, long term) {}

    private static final class Call implements Event {
        final long number;
        final byte[] body;
        final boolean durable;
        final long deadline;
        final CompletableFuture<byte[]> answer = new CompletableFuture<>();
        int sentTo = Raft.NOBODY;
        long sentAt;
        /** When it may be sent again, after somebody refused it. */
        long notBefore = System.nanoTime();

        Call(long number, byte[] body, boolean durable, long deadline) {

            this.number = number;
            this.body = body;
            this.durable = durable;
            this.deadline = deadline;
        }
    }

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
        this.answers = Executors.newSingleThreadExecutor(task -> TcpTransport.daemon("weir-cluster-answers", task));
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
                new SplittableRandom(),
                now);
        this.status = new NodeStatus(false, Raft.NOBODY, 0, 0, false, false, null);
        try {
            this.transport = new TcpTransport(
                    options.bind(), options.identity(), options.members(), new TcpTransport.Receiver() {
                        @Override
                        public void received(int from, Message message) {
                            events.add(new Received(from, message));
                        }

                        @Override
                        public void disconnected(int from) {
                            events.add(new HungUp(from));
                        }
                    });
        } catch (IOException e) {
            journal.close();
            answers.shutdown();
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
        Call call = new Call(numbers.incrementAndGet(), body, durable, deadline);
        if (closing) {
            call.answer.completeExceptionally(new StoreException("the node is closed", false, null));
        } else {
            events.add(call);
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
        failCalls("the node is closed");
        status = new NodeStatus(false, Raft.NOBODY, raft.term(), raft.commit(), false, false, failure);
        answers.shutdown();
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
        if (event instanceof Call call) {
            calls.put(call.number, call);
        } else if (event instanceof HungUp hungUp) {
            raft.disconnected(hungUp.from, now);
            calls.values().forEach(call -> call.sentTo = call.sentTo == hungUp.from ? Raft.NOBODY : call.sentTo);
        } else if (event instanceof Received received) {
            Message message = received.message;
            if (message instanceof Submit submit) {
                propose(new Origin(received.from, submit.number(), raft.term()), submit.body(), submit.durable());
            } else if (message instanceof Applied reply) {
                answered(reply.number(), reply.accepted(), reply.reply());
            } else {
                raft.receive(received.from, message, now);
            }
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
        if (origin.node == options.node()) {
            answered(origin.number, accepted, reply);
        } else {
            transport.send(origin.node, new Applied(raft.term(), origin.number, accepted, reply));
        }
    }

    private void answered(long number, boolean accepted, byte[] reply) {
        Call call = calls.get(number);
        if (call != null && accepted) {
            calls.remove(number);
            answers.execute(() -> call.answer.complete(reply));
        } else if (call != null) {
            // Whoever refused is about to be followed by another.
            call.notBefore = now + REFUSED_PAUSE_NANOS;
            call.sentAt = now - resendNanos;
        }
    }

    /** Sends what has not been sent to whoever leads, and gives up what has waited too long. */
    private void attendToCalls() {
        boolean hasLeader = raft.leader() != Raft.NOBODY;
        leaderlessSince = hasLeader ? now : leaderlessSince;
        boolean isHopeless =
                !hasLeader && now - leaderlessSince > options.patience().toNanos();
        List<Call> toPropose = new ArrayList<>();
        Iterator<Call> open = calls.values().iterator();
        while (open.hasNext()) {
            Call call = open.next();
            if (isHopeless || now - call.deadline > 0) {
                open.remove();
                fail(call, whyNot());
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
        calls.values().forEach(call -> fail(call, why));
        calls.clear();
        for (Event event = events.poll(); event != null; event = events.poll()) {
            if (event instanceof Call call) {
                fail(call, why);
            }
        }
    }

    private void fail(Call call, String why) {
        answers.execute(() -> call.answer.completeExceptionally(new StoreException(why, true, null)));
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
