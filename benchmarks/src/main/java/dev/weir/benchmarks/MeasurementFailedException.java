package dev.weir.benchmarks;

/** A measurement that failed, or that found an answer other than the one it means to measure; the message says all. */
public final class MeasurementFailedException extends RuntimeException {
    public MeasurementFailedException(String message, Throwable cause) {
        super(message, cause);
    }

    public MeasurementFailedException(String message) {
        super(message);
    }

    /**
     * An answer that is not the one to be measured.
     *
     * @param benchmark its name
     */
    public static MeasurementFailedException wrongAnswer(String benchmark, Object expected, Object found) {
        return new MeasurementFailedException(benchmark + ": expected " + expected + ", found " + found);
    }
}
