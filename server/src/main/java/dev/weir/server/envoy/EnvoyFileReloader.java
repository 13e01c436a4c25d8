package dev.weir.server.envoy;

import dev.weir.engine.Weir;
import dev.weir.engine.config.ConfigurationException;
import dev.weir.engine.config.Fault;
import dev.weir.engine.event.Event;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Watches the files, and applies a change once two polls in a row have seen it. */
final class EnvoyFileReloader implements AutoCloseable {
    private static final Logger LOG = System.getLogger(EnvoyFileReloader.class.getName());
    private static final long POLL_MILLIS = 500;

    private final Weir weir;
    private final EnvoyDecisions decisions;
    private final EnvoyStatistics statistics;
    private final EnvoyFiles files;
    private final InstantSource clock;
    /** The contents that were last read; guarded by this. */
    private List<EnvoyFiles.Content> known;
    /** The contents that one poll has seen; guarded by this. */
    private List<EnvoyFiles.Content> seen = List.of();

    private volatile @Nullable Thread follower;

    EnvoyFileReloader(
            Weir weir,
            EnvoyDecisions decisions,
            EnvoyStatistics statistics,
            EnvoyFiles files,
            List<EnvoyFiles.Content> known,
            InstantSource clock) {
        this.weir = weir;
        this.decisions = decisions;
        this.statistics = statistics;
        this.files = files;
        this.known = known;
        this.clock = clock;
    }

    void follow() {
        Thread thread = new Thread(this::poll, "weir-envoy-configuration");
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

    private void poll() {
        try {
            while (Thread.currentThread() == follower) {
                Thread.sleep(POLL_MILLIS);
                look();
            }
        } catch (InterruptedException e) {
            // The service was closed.
        }
    }

    private synchronized void look() {
        List<EnvoyFiles.Content> present = files.read();
        if (EnvoyFiles.areSame(present, known)) {
            seen = List.of();
        } else if (EnvoyFiles.areSame(present, seen)) {
            apply(present);
        } else {
            seen = present;
        }
    }

    synchronized List<Fault> reload() {
        return apply(files.read());
    }

    private List<Fault> apply(List<EnvoyFiles.Content> contents) {
        known = contents;
        seen = List.of();
        String source = files.path().toString();
        try {
            EnvoyConfiguration next = EnvoyConfigurationReader.read(contents);
            decisions.replace(next);
            statistics.configurationLoaded();
            String change = next.summary();
            LOG.log(Level.INFO, source + " was read again and is in force: " + change);
            weir.events().publish(new Event.ConfigurationReloaded(clock.instant(), source, List.of(change)));
            return List.of();
        } catch (ConfigurationException e) {
            return reject(source, e.faults());
        } catch (IllegalArgumentException e) {
            return reject(source, List.of(new Fault(source, 1, 1, String.valueOf(e.getMessage()))));
        }
    }

    private List<Fault> reject(String source, List<Fault> faults) {
        statistics.configurationRejected();
        String all = faults.stream().map(Fault::toString).collect(Collectors.joining("\n"));
        LOG.log(Level.ERROR, "the configuration was changed and has faults; the last good one stays:\n" + all);
        weir.events().publish(new Event.ConfigurationRejected(clock.instant(), source, all));
        return faults;
    }
}
