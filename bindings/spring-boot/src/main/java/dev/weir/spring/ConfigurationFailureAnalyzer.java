package dev.weir.spring;

import dev.weir.engine.config.ConfigurationException;
import dev.weir.engine.config.Fault;
import java.util.stream.Collectors;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports all faults of a configuration and their locations, instead of a stack trace. */
final class ConfigurationFailureAnalyzer extends AbstractFailureAnalyzer<ConfigurationException> {
    @Override
    protected FailureAnalysis analyze(Throwable root, ConfigurationException cause) {
        int count = cause.faults().size();
        return new FailureAnalysis(
                (count == 1
                                ? "There is a fault in Weir's configuration:"
                                : "There are " + count + " faults in Weir's configuration:")
                        + cause.faults().stream()
                                .map(Fault::toString)
                                .collect(Collectors.joining("\n    ", "\n\n    ", "\n")),
                "Correct " + (count == 1 ? "it" : "them")
                        + ". The keys of a configuration are in docs/configuration.md.",
                cause);
    }
}
