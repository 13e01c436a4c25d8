package dev.weir.store.cluster;

import dev.weir.Answer;
import dev.weir.Charge;
import dev.weir.Concurrency;
import dev.weir.Decision;
import dev.weir.FixedWindow;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.Reading;
import dev.weir.StoreException;
import dev.weir.engine.settings.JsonSettingsFormat;
import dev.weir.store.consensus.LogClock;
import dev.weir.store.consensus.NodeStatus;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A node in a process of its own, told what to do on its standard input, one line each.
 *
 * <p>What it was acknowledged is counted in a file that is mapped into memory: it survives when the process is killed.
 */
public final class NodeMain {
    static final int KEYS = 64;
    /** Nothing comes back while a test runs. */
    static final Policy ENDLESS = FixedWindow.of(1_000_000_000_000L, Duration.ofDays(365));

    private static final Duration LONG = Duration.ofSeconds(90);

    private final ClusterNode node;
    private final LongBuffer acknowledged;
    private final AtomicLong failures = new AtomicLong();
    private final AtomicLong longestWaitNanos = new AtomicLong();
    /** By how much the wall clock is wrong. */
    private volatile long skewMillis;

    private volatile boolean loading;
    private final List<Thread> workers = new ArrayList<>();

    private NodeMain(String uri, Path data, Path acks, long skewMillis) throws IOException {
        this.skewMillis = skewMillis;
        LogClock.Clock clock = new LogClock.Clock() {
            @Override
            public long nanos() {
                return System.nanoTime();
            }

            @Override
            public long epochMillis() {
                return System.currentTimeMillis() + NodeMain.this.skewMillis;
            }
        };
        this.node = ClusterNode.start(ClusterUri.parse(uri), data, new JsonSettingsFormat(), clock);
        try (FileChannel file =
                FileChannel.open(acks, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            this.acknowledged =
                    file.map(FileChannel.MapMode.READ_WRITE, 0, 8L * KEYS).asLongBuffer();
        }
    }

    /** URI, data directory, file of acknowledgements, by how much the wall clock is wrong in milliseconds. */
    public static void main(String[] args) throws IOException {
        NodeMain main = new NodeMain(args[0], Path.of(args[1]), Path.of(args[2]), Long.parseLong(args[3]));
        Runtime.getRuntime().addShutdownHook(new Thread(() -> main.node.store().close()));
        say("up");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            try {
                say(main.obey(line.split(" ")));
            } catch (RuntimeException | InterruptedException e) {
                say("error " + e);
            }
        }
        System.exit(0);
    }

    private static void say(String line) {
        System.out.println("> " + line);
        System.out.flush();
    }

    private String obey(String[] words) throws InterruptedException {
        return switch (words[0]) {
            case "status" -> status();
            case "load" -> load(Integer.parseInt(words[1]));
            case "stop" -> stop();
            case "used" -> used();
            case "race" -> race(words[1], Long.parseLong(words[2]), Integer.parseInt(words[3]));
            case "fill" ->
                fill(
                        Integer.parseInt(words[1]),
                        words.length > 2 ? Integer.parseInt(words[2]) : 0,
                        words.length > 3 ? Integer.parseInt(words[3]) : 2_000);
            case "acquire" -> String.valueOf(acquire(words[1], Long.parseLong(words[2])));
            case "step" -> step(Long.parseLong(words[1]));
            case "probe" -> probe();
            case "measure" ->
                measure(Integer.parseInt(words[1]), Integer.parseInt(words[2]), Integer.parseInt(words[3]));
            default -> "error unknown " + words[0];
        };
    }

    private String step(long millis) {
        skewMillis = skewMillis + millis;
        return "stepped";
    }

    private String status() {
        NodeStatus status = node.status();
        return "leader=" + status.leader() + " leads=" + status.isLeader() + " ready=" + status.isReady() + " term="
                + status.term() + " applied=" + status.applied() + " snapshot=" + status.snapshot() + " entries="
                + node.counts().entries() + " members=" + status.members() + " problem="
                + status.problem();
    }

    private String load(int threads) {
        loading = true;
        failures.set(0);
        longestWaitNanos.set(0);
        for (int i = 0; i < threads; i++) {
            Thread worker = new Thread(this::take);
            worker.setDaemon(true);
            worker.start();
            workers.add(worker);
        }
        return "loading";
    }

    private void take() {
        while (loading) {
            int key = ThreadLocalRandom.current().nextInt(KEYS);
            long begun = System.nanoTime();
            try {
                Decision decision = node.store().consume(List.of(charge(key))).await(LONG);
                if (decision.admitted()) {
                    synchronized (acknowledged) {
                        acknowledged.put(key, acknowledged.get(key) + 1);
                    }
                }
            } catch (StoreException e) {
                failures.incrementAndGet();
            } catch (IllegalStateException closed) {
                // This process ends: asking on, at full speed, would take the machine from those that go on.
                failures.incrementAndGet();
                return;
            }
            longestWaitNanos.accumulateAndGet(System.nanoTime() - begun, Math::max);
        }
    }

    private static Charge charge(int key) {
        return Charge.of(Key.of("fault", "key" + key), ENDLESS);
    }

    private String stop() throws InterruptedException {
        loading = false;
        for (Thread worker : workers) {
            worker.join();
        }
        workers.clear();
        return "failures=" + failures.get() + " longest=" + longestWaitNanos.get() / 1_000_000;
    }

    private String used() {
        StringBuilder used = new StringBuilder();
        for (int key = 0; key < KEYS; key++) {
            Reading reading =
                    node.store().peek(List.of(charge(key))).await(LONG).reading(0);
            used.append(key == 0 ? "" : ",").append(ENDLESS.capacity() - reading.remaining());
        }
        return used.toString();
    }

    /** How many of so many parallel attempts on one key are admitted. */
    private String race(String key, long limit, int attempts) throws InterruptedException {
        Policy policy = FixedWindow.of(limit, Duration.ofDays(365));
        AtomicLong admitted = new AtomicLong();
        AtomicLong failed = new AtomicLong();
        Semaphore open = new Semaphore(0);
        for (int i = 0; i < attempts; i++) {
            Answer<Decision> answer = node.store().consume(List.of(Charge.of(Key.of("race", key), policy)));
            answer.whenDone((decision, failure) -> {
                admitted.addAndGet(decision != null && decision.admitted() ? 1 : 0);
                failed.addAndGet(failure != null ? 1 : 0);
                open.release();
            });
        }
        open.acquire(attempts);
        return admitted.get() + " " + failed.get();
    }

    private String fill(int keys, int from, int inFlight) throws InterruptedException {
        Semaphore room = new Semaphore(inFlight);
        AtomicLong failed = new AtomicLong();
        for (int i = from; i < from + keys; i++) {
            room.acquire();
            node.store()
                    .consume(List.of(Charge.of(Key.of("fill", "a-rather-ordinary-key-" + i), ENDLESS)))
                    .whenDone((decision, failure) -> {
                        failed.addAndGet(failure != null ? 1 : 0);
                        room.release();
                    });
        }
        room.acquire(inFlight);
        return "failed=" + failed.get();
    }

    private boolean acquire(String id, long ttlMillis) {
        return node.store()
                .acquire(id, List.of(Charge.of(Key.of("slots"), Concurrency.of(1))), Duration.ofMillis(ttlMillis))
                .await(LONG)
                .admitted();
    }

    /** One decision: how long it took, or why it failed. */
    private String probe() {
        long begun = System.nanoTime();
        try {
            node.store().consume(List.of(Charge.of(Key.of("probe"), ENDLESS))).await(LONG);
            return "ok " + (System.nanoTime() - begun) / 1_000_000;
        } catch (StoreException e) {
            return "failed " + (System.nanoTime() - begun) / 1_000_000 + " " + e.getMessage();
        }
    }

    /** So many callers, each asking again when it is answered, for so long: calls a second, and their median and 99th. */
    private String measure(int callers, int keys, int millis) throws InterruptedException {
        List<List<Charge>> charges = new ArrayList<>();
        for (int i = 0; i < keys; i++) {
            charges.add(List.of(Charge.of(Key.of("measure", "key" + i), ENDLESS)));
        }
        ConcurrentLinkedQueue<long[]> all = new ConcurrentLinkedQueue<>();
        long end = System.nanoTime() + millis * 1_000_000L;
        CountDownLatch done = new CountDownLatch(callers);
        AtomicLong failed = new AtomicLong();
        for (int i = 0; i < callers; i++) {
            new Caller(charges, end, done, failed, all).ask();
        }
        done.await();
        long[] nanos = all.stream().flatMapToLong(Arrays::stream).sorted().toArray();
        return nanos.length * 1_000L / millis + " ops/s p50=" + nanos[nanos.length / 2] / 1_000 + "us p99="
                + nanos[(int) (nanos.length * 0.99)] / 1_000 + "us failed=" + failed.get();
    }

    /** One who asks again as soon as it is answered. */
    private final class Caller {
        private final List<List<Charge>> charges;
        private final long end;
        private final CountDownLatch done;
        private final AtomicLong failed;
        private final ConcurrentLinkedQueue<long[]> all;
        private final SplittableRandom random = new SplittableRandom();
        private long[] nanos = new long[1 << 12];
        private int count;
        private long asked;

        Caller(
                List<List<Charge>> charges,
                long end,
                CountDownLatch done,
                AtomicLong failed,
                ConcurrentLinkedQueue<long[]> all) {
            this.charges = charges;
            this.end = end;
            this.done = done;
            this.failed = failed;
            this.all = all;
        }

        void ask() {
            asked = System.nanoTime();
            node.store().consume(charges.get(random.nextInt(charges.size()))).whenDone((decision, failure) -> {
                long now = System.nanoTime();
                failed.addAndGet(failure != null ? 1 : 0);
                if (count == nanos.length) {
                    nanos = Arrays.copyOf(nanos, 2 * count);
                }
                nanos[count++] = now - asked;
                if (now < end) {
                    ask();
                } else {
                    all.add(Arrays.copyOf(nanos, count));
                    done.countDown();
                }
            });
        }
    }

    static long[] acknowledged(Path acks) throws IOException {
        long[] counts = new long[KEYS];
        byte[] bytes = Files.readAllBytes(acks);
        ByteBuffer.wrap(bytes).asLongBuffer().get(counts);
        return counts;
    }
}
