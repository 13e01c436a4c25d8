package dev.weir.engine;

import dev.weir.engine.config.Configuration;
import dev.weir.engine.config.ConfigurationReader.Result;
import dev.weir.engine.config.Fault;
import dev.weir.engine.event.Event;
import dev.weir.engine.event.EventBus;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Applies a changed configuration file, or reports its faults and keeps the last valid configuration. */
final class ConfigurationReloader {
    private static final Logger LOG = System.getLogger(Weir.class.getName());

    private final ConfigurationFile file;
    private final Function<Configuration, List<String>> inForce;
    private final EventBus bus;
    private final InstantSource clock;

    /** @param inForce applies a configuration, and returns what it changes */
    ConfigurationReloader(
            ConfigurationFile file, Function<Configuration, List<String>> inForce, EventBus bus, InstantSource clock) {
        this.file = file;
        this.inForce = inForce;
        this.bus = bus;
        this.clock = clock;
    }

    /** Applies what was read, and returns its faults; empty if it is in force. */
    List<Fault> take(Result result) {
        if (result instanceof Result.Rejected rejected) {
            return reject(rejected.faults());
        }
        List<String> changes;
        try {
            changes = inForce.apply(result.orThrow());
        } catch (IllegalArgumentException e) {
            return reject(List.of(new Fault(file.name(), 1, 1, String.valueOf(e.getMessage()))));
        }
        logWarnings(result);
        LOG.log(Level.INFO, file.name() + " was read again and is in force" + text(changes));
        bus.publish(new Event.ConfigurationReloaded(clock.instant(), file.name(), changes));
        return List.of();
    }

    private static String text(List<String> changes) {
        return changes.isEmpty() ? "; it changes nothing" : ":\n" + String.join("\n", changes);
    }

    /** Logs probable mistakes in a configuration that is in force. */
    static void logWarnings(Result result) {
        result.warnings().forEach(warning -> LOG.log(Level.WARNING, warning.toString()));
    }

    private List<Fault> reject(List<Fault> faults) {
        String all = faults.stream().map(Fault::toString).collect(Collectors.joining("\n"));
        LOG.log(Level.ERROR, "the configuration was changed and has faults; the last good one stays:\n" + all);
        bus.publish(new Event.ConfigurationRejected(clock.instant(), file.name(), all));
        return faults;
    }
}
