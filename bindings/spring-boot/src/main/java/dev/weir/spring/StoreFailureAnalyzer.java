package dev.weir.spring;

import dev.weir.StoreException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says that the store cannot be reached, in place of a stack trace. */
final class StoreFailureAnalyzer extends AbstractFailureAnalyzer<StoreException> {
    @Override
    protected FailureAnalysis analyze(Throwable root, StoreException cause) {
        return new FailureAnalysis(
                "Weir cannot start: " + cause.getMessage(),
                "Start it, or correct weir.store (or 'store' in the configuration). To begin without one, set"
                        + " weir.store=memory: limits then hold in this process alone.",
                cause);
    }
}
