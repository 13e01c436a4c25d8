package dev.weir.store.redis;

import dev.weir.StoreException;
import dev.weir.engine.settings.AuditCodec;
import dev.weir.engine.settings.AuditEntry;
import dev.weir.engine.settings.Settings;
import dev.weir.engine.settings.SettingsChange;
import dev.weir.engine.settings.SettingsCodec;
import dev.weir.engine.settings.SettingsException;
import dev.weir.engine.settings.SettingsSnapshot;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Settings in Redis, beside the counts: one document, its version, and the latest changes.
 *
 * <p>A change is made by a script that refuses it if somebody else has changed the settings meanwhile; it is then based on
 * those and tried again. Every node hears of a new version on a channel at once, and looks for one by itself every few
 * seconds, so that a lost message delays a change and loses nothing. A document that cannot be read never replaces one
 * that could. How durable an acknowledged change is, Redis's own persistence decides.
 */
final class RedisSettings implements Settings {
    /** How many changes are kept. */
    private static final int MOST_CHANGES = 1_000;

    /** How often others may be faster before a change is given up. */
    private static final int MOST_ATTEMPTS = 50;

    private static final int MOST_BYTES = 16 << 20;
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final Duration LOOKS_EVERY = Duration.ofSeconds(3);
    private static final String WORKER = "weir-redis-settings";
    private static final Logger LOG = System.getLogger(RedisSettings.class.getName());

    private final RedisLink link;
    private final byte[] document;
    private final byte[] version;
    private final byte[] changes;
    private final String channel;
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    private final ScheduledExecutorService worker;
    private final StatefulRedisPubSubConnection<String, String> heard;
    /** Replaced in the worker only, so that listeners see versions in order. */
    private volatile SettingsSnapshot current;

    private volatile boolean closed;

    /** Has an identity of its own, so that the same listener registered twice is removed once. */
    private static final class Listener {
        private final Consumer<SettingsSnapshot> target;

        private Listener(Consumer<SettingsSnapshot> target) {
            this.target = target;
        }
    }

    private RedisSettings(RedisLink link, KeyNames names) {
        this.link = link;
        this.document = bytes(names.settings("document"));
        this.version = bytes(names.settings("version"));
        this.changes = bytes(names.settings("changes"));
        this.channel = names.settings("changed");
        this.current = read();
        this.worker = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, WORKER);
            thread.setDaemon(true);
            return thread;
        });
        this.heard = link.listen();
    }

    /**
     * Reads the settings and listens for changes.
     *
     * @throws SettingsException if there are settings that cannot be read
     * @throws StoreException if Redis does not answer
     */
    static RedisSettings open(RedisStore store) {
        RedisSettings settings = new RedisSettings(store.link().lend(), store.names());
        settings.listen();
        return settings;
    }

    private void listen() {
        heard.addListener(new RedisPubSubAdapter<>() {
            @Override
            public void message(String from, String text) {
                look();
            }

            /** Also after a connection that broke: what was published meanwhile was not heard. */
            @Override
            public void subscribed(String to, long count) {
                look();
            }
        });
        var unused = heard.async().subscribe(channel);
        var unusedToo = worker.scheduleWithFixedDelay(
                this::refresh, LOOKS_EVERY.toMillis(), LOOKS_EVERY.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public SettingsSnapshot current() {
        return current;
    }

    @Override
    public SettingsSnapshot apply(SettingsChange change) {
        if (closed) {
            throw new IllegalStateException("the settings are closed");
        }
        if (Thread.currentThread().getName().equals(WORKER)) {
            throw new IllegalStateException("a listener of settings must not change settings");
        }
        SettingsSnapshot base = current;
        for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
            SettingsSnapshot next = base.with(change);
            if (write(base, next, change)) {
                publish(next);
                return next;
            }
            base = readNow();
        }
        throw new SettingsException("the settings in Redis are being changed by others all the time; try again");
    }

    private boolean write(SettingsSnapshot base, SettingsSnapshot next, SettingsChange change) {
        byte[] text = SettingsCodec.encode(next);
        if (text.length > MOST_BYTES) {
            throw new IllegalArgumentException(
                    "settings would have " + text.length + " bytes; at most " + MOST_BYTES + " are kept");
        }
        CompletionStage<Long> made = link.run(
                Script.SETTINGS,
                ScriptOutputType.INTEGER,
                new byte[][] {document, version, changes},
                bytes(Long.toString(base.version())),
                text,
                AuditCodec.encode(new AuditEntry(next.version(), change)),
                bytes(Integer.toString(MOST_CHANGES)),
                bytes(channel));
        try {
            return await(made) == 1;
        } catch (StoreException e) {
            throw new SettingsException(
                    "the change could not be written (" + e.getMessage()
                            + "); look at the settings before trying again, as it may have been made",
                    e);
        }
    }

    @Override
    public List<AuditEntry> audit(int count) {
        if (count < 0) {
            throw new IllegalArgumentException("count is " + count + "; it must be at least 0");
        }
        if (count == 0) {
            return List.of();
        }
        List<AuditEntry> entries = new ArrayList<>();
        for (byte[] line : await(link.commands().lrange(changes, 0, Math.min(count, MOST_CHANGES) - 1L))) {
            entries.add(AuditCodec.decode(line));
        }
        return List.copyOf(entries);
    }

    @Override
    public Registration onChange(Consumer<SettingsSnapshot> listener) {
        Listener own = new Listener(listener);
        listeners.add(own);
        return () -> listeners.remove(own);
    }

    @Override
    public void close() {
        closed = true;
        listeners.clear();
        worker.shutdownNow();
        var unused = heard.closeAsync();
    }

    /** Looks for a new version soon, in the worker. */
    private void look() {
        try {
            worker.execute(this::refresh);
        } catch (RejectedExecutionException e) {
            // Closed: nobody wants to know any more.
        }
    }

    private void refresh() {
        try {
            byte[] known = await(link.commands().get(version));
            long newest = known == null ? 0 : Long.parseLong(new String(known, StandardCharsets.US_ASCII));
            if (newest != current.version()) {
                become(read());
            }
        } catch (RuntimeException e) {
            if (!closed) {
                LOG.log(
                        Level.WARNING,
                        "the settings in Redis cannot be read; those known before stay: {0}",
                        e.getMessage());
            }
        }
    }

    private SettingsSnapshot readNow() {
        SettingsSnapshot read = read();
        publish(read);
        return read;
    }

    /** Has the worker tell everybody, and waits until it has. */
    private void publish(SettingsSnapshot snapshot) {
        try {
            worker.submit(() -> becomeIfNewer(snapshot)).get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (java.util.concurrent.ExecutionException
                | java.util.concurrent.TimeoutException
                | RejectedExecutionException e) {
            LOG.log(Level.DEBUG, "the change is made and will be told", e);
        }
    }

    /** What this node wrote may have been followed by another's change that is known already. */
    private void becomeIfNewer(SettingsSnapshot snapshot) {
        if (snapshot.version() > current.version()) {
            become(snapshot);
        }
    }

    /** In the worker only. */
    private void become(SettingsSnapshot snapshot) {
        current = snapshot;
        for (Listener listener : listeners) {
            try {
                listener.target.accept(snapshot);
            } catch (RuntimeException e) {
                LOG.log(Level.WARNING, "a listener failed on settings version " + snapshot.version(), e);
            }
        }
    }

    private SettingsSnapshot read() {
        byte[] text = await(link.commands().get(document));
        if (text == null) {
            return SettingsSnapshot.empty();
        }
        try {
            return SettingsCodec.decode(text);
        } catch (SettingsException e) {
            throw new SettingsException(
                    "the settings in Redis, under " + new String(document, StandardCharsets.UTF_8) + ", "
                            + e.getMessage(),
                    e);
        }
    }

    private <T> T await(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture()
                    .orTimeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                    .join();
        } catch (CompletionException e) {
            throw new StoreException(
                    "Redis at " + link.places() + " failed: " + RedisLink.reason(e), true, e.getCause());
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
