package dev.weir.server.envoy;

import dev.weir.engine.Weir;
import dev.weir.engine.config.Configuration;
import dev.weir.engine.config.ConfigurationException;
import dev.weir.engine.config.Fault;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Envoy's rate limit service without its transport: its decisions, its statistics, and the reload of its files. Safe
 * for use by many threads.
 */
public final class EnvoyService implements AutoCloseable {
    private final RateLimitDecisions decisions;
    private final EnvoyStatistics statistics;
    private final @Nullable EnvoyFileReloader reloader;

    EnvoyService(RateLimitDecisions decisions, EnvoyStatistics statistics, @Nullable EnvoyFileReloader reloader) {
        this.decisions = decisions;
        this.statistics = statistics;
        this.reloader = reloader;
    }

    /** Creates a service that decides by the engine's own configuration. */
    public static EnvoyService byAttributes(Weir weir, ReplyOptions options) {
        return new EnvoyService(new AttributeDecisions(weir, options), new EnvoyStatistics(), null);
    }

    /**
     * Reads Envoy's files.
     *
     * @param path a file, or a directory whose {@code .yaml} and {@code .yml} files are read
     * @throws ConfigurationException with all faults of all files
     */
    public static Loaded load(Path path) {
        EnvoyFiles files = new EnvoyFiles(path);
        List<EnvoyFiles.Content> contents = files.read();
        return new Loaded(files, contents, EnvoyConfigurationReader.read(contents));
    }

    /** Envoy's files, read and valid. */
    public static final class Loaded {
        private final EnvoyFiles files;
        private final List<EnvoyFiles.Content> contents;
        private final EnvoyConfiguration envoy;

        private Loaded(EnvoyFiles files, List<EnvoyFiles.Content> contents, EnvoyConfiguration envoy) {
            this.files = files;
            this.contents = contents;
            this.envoy = envoy;
        }

        /** Returns the configuration of an engine that counts these limits on a store. */
        public Configuration configuration(String store) {
            return EnvoyLimits.configuration(envoy, store);
        }

        /** Returns a short description: {@code config: 40 limits in 2 domains}. */
        public String summary() {
            return files.path() + ": " + envoy.summary();
        }

        /**
         * Creates the service. The engine must have been created from {@link #configuration}. The files are watched: a
         * valid change takes effect within about a second, and one with faults is reported and ignored.
         */
        public EnvoyService serve(Weir weir, ReplyOptions options, InstantSource clock) {
            EnvoyStatistics statistics = new EnvoyStatistics();
            EnvoyDecisions decisions = new EnvoyDecisions(weir, envoy, options, statistics, clock);
            statistics.configurationLoaded();
            EnvoyFileReloader reloader = new EnvoyFileReloader(weir, decisions, statistics, files, contents, clock);
            reloader.follow();
            return new EnvoyService(decisions, statistics, reloader);
        }
    }

    /** Returns the decisions. */
    public RateLimitDecisions decisions() {
        return decisions;
    }

    /**
     * Returns the statistics of the original service, in the text format of Prometheus; empty if the engine's own
     * configuration decides, whose metrics are the engine's.
     */
    public String metricsText() {
        return reloader == null ? "" : statistics.text();
    }

    /**
     * Reads the files again, now. Files with faults change nothing.
     *
     * @return the faults; empty if the files are in force, or if there are none to read
     */
    public List<Fault> reload() {
        return reloader == null ? List.of() : reloader.reload();
    }

    @Override
    public void close() {
        if (reloader != null) {
            reloader.close();
        }
    }
}
