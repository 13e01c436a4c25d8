package dev.weir.spring;

import dev.weir.StoreException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports why the store cannot be opened, instead of a stack trace. */
final class StoreFailureAnalyzer extends AbstractFailureAnalyzer<StoreException> {
    @Override
    protected FailureAnalysis analyze(Throwable root, StoreException cause) {
        return new FailureAnalysis(
                "Weir cannot start: " + cause.getMessage(),
                (cause.retryable() ? "Start the store, or correct its address in " : "Correct ")
                        + "weir.store (or 'store' in the configuration). To begin without a store, set"
                        + " weir.store=memory: limits then hold in this process alone.",
                cause);
    }
}
