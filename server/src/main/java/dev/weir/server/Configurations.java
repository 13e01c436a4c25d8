package dev.weir.server;

import dev.weir.engine.Weir;
import dev.weir.engine.config.Configuration;
import dev.weir.engine.config.ConfigurationReader;
import dev.weir.engine.config.ConfigurationReader.Result;
import dev.weir.engine.config.Fault;
import dev.weir.engine.event.Event;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a running server: read at the start, again when told to, and when its file has changed and stood
 * still for two looks. One with faults is reported and changes nothing. A store given on the command line stays.
 */
final class Configurations implements AutoCloseable {
    private static final Logger LOG = System.getLogger(WeirServer.class.getName());
    private static final long INTERVAL_MILLIS = 500;

    private final ConfigurationSource source;
    private final @Nullable String store;
    private final ConfigurationReader reader = new ConfigurationReader();
    private volatile @Nullable Thread follower;

    Configurations(ConfigurationSource source, @Nullable String store) {
        this.source = source;
        this.store = store;
    }

    /**
     * Reads it.
     *
     * @throws dev.weir.engine.config.ConfigurationException with every fault
     */
    Configuration read() {
        return onStore(source.read(reader).orThrow());
    }

    /** Puts it in force again, and answers what is wrong with it: nothing if it is in force. */
    synchronized List<Fault> reload(Weir weir) {
        Result result = source.read(reader);
        if (result instanceof Result.Rejected rejected) {
            return reject(weir, rejected.faults());
        }
        try {
            weir.reconfigure(onStore(result.orThrow()));
        } catch (IllegalArgumentException e) {
            return reject(weir, List.of(new Fault(source.name(), 1, 1, String.valueOf(e.getMessage()))));
        }
        LOG.log(Level.INFO, source.name() + " was read again and is in force");
        weir.events().publish(new Event.ConfigurationReloaded(Instant.now(), source.name()));
        return List.of();
    }

    private List<Fault> reject(Weir weir, List<Fault> faults) {
        String all = faults.stream().map(Fault::toString).collect(Collectors.joining("\n"));
        LOG.log(Level.ERROR, "the configuration was changed and has faults; the last good one stays:\n" + all);
        weir.events().publish(new Event.ConfigurationRejected(Instant.now(), source.name(), all));
        return faults;
    }

    /** Looks at the file again and again, in a thread of its own. */
    void follow(Weir weir) {
        Path file = source.file();
        if (file == null) {
            return;
        }
        byte[] known = content(file);
        Thread thread = new Thread(() -> run(file, known, weir), "weir-configuration");
        thread.setDaemon(true);
        follower = thread;
        thread.start();
    }

    @Override
    public void close() {
        Thread running = follower;
        follower = null;
        if (running != null) {
            running.interrupt();
        }
    }

    private void run(Path file, byte[] first, Weir weir) {
        byte[] known = first;
        byte[] seen = first;
        try {
            while (Thread.currentThread() == follower) {
                Thread.sleep(INTERVAL_MILLIS);
                byte[] content = content(file);
                boolean stands = Arrays.equals(content, seen);
                seen = content;
                // An empty file is one that is gone or about to be written.
                if (stands && content.length > 0 && !Arrays.equals(content, known)) {
                    known = content;
                    reload(weir);
                }
            }
        } catch (InterruptedException e) {
            // Closed.
        }
    }

    private static byte[] content(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            return new byte[0];
        }
    }

    private Configuration onStore(Configuration read) {
        return store == null
                ? read
                : new Configuration(
                        read.enabled(),
                        store,
                        read.onStoreFailure(),
                        read.trustedProxies(),
                        read.ipv6Prefix(),
                        read.defaults(),
                        read.classify(),
                        read.limits(),
                        read.penalty(),
                        read.exempt(),
                        read.alerts());
    }
}
