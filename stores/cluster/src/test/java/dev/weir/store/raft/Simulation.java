package dev.weir.store.raft;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * A cluster whose network, clocks and fate are one random number: the same seed, the same history.
 *
 * <p>Whenever a node applies an entry it is compared with what the others applied in that place; when a node has led an
 * entry to agreement, that entry is remembered as acknowledged, and must be on every node in the end.
 */
final class Simulation {
    private static final long MILLI = 1_000_000;
    private static final long START_MILLIS = 1_700_000_000_000L;

    private final SplittableRandom random;
    private final int size;
    private final Node[] nodes;
    private final PriorityQueue<Parcel> network =
            new PriorityQueue<>(Comparator.comparingLong(Parcel::at).thenComparingLong(Parcel::order));
    /** What was agreed upon, by index. */
    private final Map<Long, Entry> agreed = new HashMap<>();

    private final Set<Long> acknowledged = new HashSet<>();
    private final Map<Long, Integer> leaders = new HashMap<>();
    private final boolean[][] cut;
    private final long[] lastArrival;
    private long now = 1;
    private long order;
    private long proposed;
    private double loss;
    private long slowest = 5 * MILLI;
    private long latestAgreedIndex;
    private long latestAgreedMicros;
    /** By how much the cluster's time was ahead of the simulation's when an entry was written, by its value. */
    private final Map<Long, Long> ahead = new HashMap<>();

    private long foundedAhead = Long.MAX_VALUE;

    private record Parcel(long at, long order, int from, int to, int life, Message message) {}

    Simulation(int size, long seed) {
        this.size = size;
        this.random = new SplittableRandom(seed);
        this.nodes = new Node[size];
        this.cut = new boolean[size][size];
        this.lastArrival = new long[size * size];
        for (int i = 0; i < size; i++) {
            nodes[i] = new Node(i);
            nodes[i].start();
        }
    }

    /** A node, its disk, and what it has applied. */
    private final class Node implements Raft.Machine, Raft.Outbox {
        private final int id;
        private final long wallSkewMillis = random.nextLong(-5_000, 5_000);
        private Journal journal = new Journal();
        private Raft raft;
        private int life;
        private List<Entry> applied = new ArrayList<>();
        private long appliedTo;
        private final Map<Long, Long> waiting = new HashMap<>();

        Node(int id) {
            this.id = id;
        }

        void start() {
            applied = new ArrayList<>();
            appliedTo = 0;
            waiting.clear();
            LogClock.Clock clock = new LogClock.Clock() {
                @Override
                public long nanos() {
                    return now;
                }

                @Override
                public long epochMillis() {
                    return START_MILLIS + wallSkewMillis + now / MILLI;
                }
            };
            raft = new Raft(
                    id,
                    size,
                    journal,
                    this,
                    this,
                    new LogClock(clock),
                    new Timing(Duration.ofMillis(20), Duration.ofMillis(100), Duration.ofMillis(400)),
                    new SnapshotRule(1 << 14, 0, 250_000),
                    random.split(),
                    now);
        }

        boolean isUp() {
            return raft != null;
        }

        void crash() {
            raft = null;
            life++;
        }

        @Override
        public void send(int to, Message message) {
            if (cut[id][to] || random.nextDouble() < loss) {
                return;
            }
            // As on a connection: in order, unless something is lost.
            long at = Math.max(lastArrival[id * size + to] + 1, now + random.nextLong(MILLI / 10, slowest));
            lastArrival[id * size + to] = at;
            network.add(new Parcel(at, order++, id, to, nodes[to].life, roundTrip(message)));
        }

        @Override
        public void apply(Entry entry) {
            assertThat(entry.index()).isGreaterThan(appliedTo);
            appliedTo = entry.index();
            applied.add(entry);
            Entry known = agreed.putIfAbsent(entry.index(), entry);
            if (known != null) {
                assertThat(entry.term()).as("place %s", entry.index()).isEqualTo(known.term());
                assertThat(entry.micros()).isEqualTo(known.micros());
                assertThat(entry.body()).isEqualTo(known.body());
            } else {
                checkTime(entry);
            }
            Long value = waiting.remove(entry.index());
            if (value != null && ByteBuffer.wrap(entry.body()).getLong() == value && raft.isLeader()) {
                acknowledged.add(value);
            }
        }

        @Override
        public byte[] snapshot() {
            BytesOut out = new BytesOut();
            out.number(appliedTo);
            out.number(applied.size());
            applied.forEach(entry -> entry.write(out));
            return out.toBytes();
        }

        @Override
        public void restore(byte[] snapshot) {
            BytesIn in = new BytesIn(snapshot);
            appliedTo = in.number();
            applied = new ArrayList<>();
            for (int i = in.count(1); i > 0; i--) {
                applied.add(Entry.read(in));
            }
        }
    }

    private static Message roundTrip(Message message) {
        BytesOut out = new BytesOut();
        MessageCodec.write(out, message);
        return MessageCodec.read(new BytesIn(out.toBytes()));
    }

    /** The cluster's time never goes back, and never runs ahead of real time since it was founded. */
    private void checkTime(Entry entry) {
        if (entry.index() > latestAgreedIndex) {
            assertThat(entry.micros()).isGreaterThanOrEqualTo(latestAgreedMicros);
            latestAgreedIndex = entry.index();
            latestAgreedMicros = entry.micros();
        }
        long entryAhead = ahead.getOrDefault(ByteBuffer.wrap(entry.body()).getLong(), Long.MAX_VALUE);
        foundedAhead = foundedAhead == Long.MAX_VALUE ? entryAhead : foundedAhead;
        assertThat(entryAhead).isLessThanOrEqualTo(foundedAhead + 1);
    }

    /** Lets so much time pass, with proposals, and with crashes, cuts and losses if it is to be unkind. */
    void run(Duration time, boolean unkind) {
        long end = now + time.toNanos();
        while (now < end) {
            now += MILLI / 2;
            deliver();
            for (Node node : nodes) {
                if (node.isUp()) {
                    node.raft.tick(now);
                    checkOneLeaderATerm(node);
                }
            }
            propose();
            if (unkind && random.nextInt(60) == 0) {
                misfortune();
            }
        }
    }

    private void deliver() {
        while (!network.isEmpty() && network.peek().at <= now) {
            Parcel parcel = network.poll();
            Node to = nodes[parcel.to];
            if (to.isUp() && to.life == parcel.life) {
                to.raft.receive(parcel.from, parcel.message, now);
            }
        }
    }

    private void checkOneLeaderATerm(Node node) {
        if (node.raft.isLeader()) {
            Integer other = leaders.putIfAbsent(node.raft.term(), node.id);
            assertThat(other == null ? node.id : other)
                    .as("leader of term %s", node.raft.term())
                    .isEqualTo(node.id);
        }
    }

    private void propose() {
        Node node = nodes[random.nextInt(size)];
        if (node.isUp() && random.nextInt(3) == 0) {
            long value = ++proposed;
            long index = node.raft.propose(ByteBuffer.allocate(8).putLong(value).array(), false, now);
            if (index > 0) {
                node.waiting.put(index, value);
                ahead.put(value, node.journal.entry(index).micros() - now / 1_000);
                node.raft.flush();
            }
        }
    }

    private void misfortune() {
        Node node = nodes[random.nextInt(size)];
        switch (random.nextInt(12)) {
            case 0, 1, 2 -> crashOrStart(node);
            case 3 -> loseEverything(node);
            case 4, 5 -> cut[node.id][random.nextInt(size)] = true;
            case 6 -> isolate(node);
            case 7, 8 -> heal();
            case 9 -> {
                loss = random.nextInt(3) * 0.05;
                slowest = (1 + random.nextInt(40)) * MILLI;
            }
            case 10 -> {
                if (node.isUp()) {
                    node.raft.snapshot();
                }
            }
            default -> {
                if (node.isUp() && node.raft.leave(now)) {
                    node.raft.flush();
                }
            }
        }
    }

    /** The leader leaves and ends, as a node that is stopped does; answers in how many terms another led. */
    long handOver() {
        Node leaving = nodes[soleLeader()];
        long term = leaving.raft.term();
        while (leaving.raft.leader() == leaving.id || leaving.raft.leader() == Raft.NOBODY) {
            leaving.raft.leave(now);
            run(Duration.ofMillis(1), false);
        }
        crashOrStart(leaving);
        run(Duration.ofMillis(50), false);
        long terms = nodes[soleLeader()].raft.term() - term;
        leaving.start();
        run(Duration.ofMillis(200), false);
        return terms;
    }

    private int soleLeader() {
        int[] leading = Arrays.stream(nodes)
                .filter(node -> node.isUp() && node.raft.isLeader())
                .mapToInt(node -> node.id)
                .toArray();
        assertThat(leading).as("leaders").hasSize(1);
        return leading[0];
    }

    private void crashOrStart(Node node) {
        if (!node.isUp()) {
            node.start();
        } else {
            node.crash();
            for (Node other : nodes) {
                if (other.isUp()) {
                    other.raft.disconnected(node.id, now);
                }
            }
        }
    }

    /** A node loses its disk, which is one fault too many while another has not recovered from that. */
    private void loseEverything(Node node) {
        for (Node other : nodes) {
            if (!other.journal.isTrusted()) {
                return;
            }
        }
        node.crash();
        node.journal = new Journal();
        node.start();
    }

    private void isolate(Node node) {
        for (int i = 0; i < size; i++) {
            cut[node.id][i] = random.nextInt(4) != 0;
            cut[i][node.id] = random.nextInt(4) != 0;
        }
    }

    private void heal() {
        for (boolean[] row : cut) {
            Arrays.fill(row, false);
        }
    }

    /** Everything is put right; soon all nodes agree, and nothing that was acknowledged is missing. */
    void settle() {
        heal();
        loss = 0;
        slowest = 2 * MILLI;
        for (Node node : nodes) {
            if (!node.isUp()) {
                node.start();
            }
        }
        Set<Long> acknowledgedBefore = Set.copyOf(acknowledged);
        run(Duration.ofSeconds(3), false);
        assertThat(Arrays.stream(nodes).filter(node -> node.raft.isLeader()))
                .as("leaders")
                .hasSize(1);
        for (Node node : nodes) {
            assertThat(node.raft.isTrusted()).as("node %s is trusted", node.id).isTrue();
            assertThat(node.appliedTo).as("node %s", node.id).isGreaterThan(latestAgreedIndex - 100);
            Set<Long> missing = new HashSet<>(acknowledgedBefore);
            node.applied.forEach(
                    entry -> missing.remove(ByteBuffer.wrap(entry.body()).getLong()));
            assertThat(missing).as("lost on node %s", node.id).isEmpty();
        }
    }

    int acknowledged() {
        return acknowledged.size();
    }
}
