package dev.weir.engine.config;

import java.util.List;
import java.util.stream.Collectors;

/** A configuration is invalid; contains all of its faults. */
public final class ConfigurationException extends IllegalArgumentException {
    private final transient List<Fault> faults;

    public ConfigurationException(List<Fault> faults) {
        super(faults.stream().map(Fault::toString).collect(Collectors.joining("\n")));
        this.faults = List.copyOf(faults);
    }

    /** The faults, in the order of the file; at least one. */
    public List<Fault> faults() {
        return faults;
    }
}
