package dev.weir.benchmarks;

import dev.weir.benchmarks.measure.MeasurementFailedException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Checks that every result of a load is an admission, and keeps the first that is not. Thread-safe. */
public final class AnswerCheck {
    private final String benchmark;
    private final AtomicReference<@Nullable MeasurementFailedException> first = new AtomicReference<>();

    public AnswerCheck(String benchmark) {
        this.benchmark = benchmark;
    }

    /** Returns whether the check was admitted. */
    public boolean accept(@Nullable Boolean admitted, @Nullable Throwable failure) {
        if (failure == null && Boolean.TRUE.equals(admitted)) {
            return true;
        }
        first.compareAndSet(
                null,
                failure == null
                        ? MeasurementFailedException.wrongAnswer(benchmark, "admitted", "refused")
                        : new MeasurementFailedException(benchmark + ": expected admitted, found " + failure, failure));
        return false;
    }

    public void throwIfFailed() {
        MeasurementFailedException failure = first.get();
        if (failure != null) {
            throw failure;
        }
    }
}
