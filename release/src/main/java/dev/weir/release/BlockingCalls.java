package dev.weir.release;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.tree.MethodInsnNode;

/**
 * The calls of the JDK and of the drivers that may block their thread. File access is not among them: it holds the
 * carrier thread with or without a monitor.
 */
final class BlockingCalls {
    /** Packages and types whose methods may all block. */
    private static final List<String> OWNERS = List.of(
            "java/sql/",
            "javax/sql/",
            "org/sqlite/",
            "org/postgresql/",
            "com/zaxxer/hikari/",
            "io/lettuce/core/api/sync/",
            "jakarta/websocket/RemoteEndpoint$Basic",
            "java/nio/channels/SocketChannel",
            "java/io/InputStream",
            "java/io/OutputStream",
            "java/net/Socket");

    /** Single methods, by the last part of their owner's name. */
    private static final Map<String, Set<String>> METHODS = Map.ofEntries(
            Map.entry("Object", Set.of("wait")),
            Map.entry("Thread", Set.of("sleep", "join")),
            Map.entry("LockSupport", Set.of("park", "parkNanos", "parkUntil")),
            Map.entry("Lock", Set.of("lock", "lockInterruptibly", "tryLock")),
            Map.entry("ReentrantLock", Set.of("lock", "lockInterruptibly")),
            Map.entry("Condition", Set.of("await", "awaitNanos", "awaitUntil")),
            Map.entry("CountDownLatch", Set.of("await")),
            Map.entry("CyclicBarrier", Set.of("await")),
            Map.entry("Semaphore", Set.of("acquire", "acquireUninterruptibly")),
            Map.entry("Future", Set.of("get")),
            Map.entry("CompletableFuture", Set.of("get", "join")),
            Map.entry("RedisFuture", Set.of("get", "await")),
            Map.entry("BlockingQueue", Set.of("take", "put")),
            Map.entry("LinkedBlockingQueue", Set.of("take", "put")),
            Map.entry("ArrayBlockingQueue", Set.of("take", "put")),
            Map.entry("ExecutorService", Set.of("awaitTermination", "invokeAll", "invokeAny")),
            Map.entry("ThreadPoolExecutor", Set.of("awaitTermination")),
            Map.entry("ScheduledExecutorService", Set.of("awaitTermination")),
            Map.entry("Process", Set.of("waitFor")),
            Map.entry("HttpClient", Set.of("send")));

    private BlockingCalls() {}

    static boolean is(MethodInsnNode call) {
        String simpleName = call.owner.substring(call.owner.lastIndexOf('/') + 1);
        boolean isOurs = call.owner.startsWith("dev/weir/");
        return !isOurs
                && (METHODS.getOrDefault(simpleName, Set.of()).contains(call.name)
                        || OWNERS.stream().anyMatch(call.owner::startsWith));
    }
}
