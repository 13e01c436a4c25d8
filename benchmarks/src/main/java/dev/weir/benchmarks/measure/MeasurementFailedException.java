package dev.weir.benchmarks.measure;

/** Thrown when a measurement fails or finds an unexpected result; the message has all details. */
public final class MeasurementFailedException extends RuntimeException {
    public MeasurementFailedException(String message, Throwable cause) {
        super(message, cause);
    }

    public MeasurementFailedException(String message) {
        super(message);
    }

    /**
     * Creates an exception for an unexpected result.
     *
     * @param benchmark its name
     */
    public static MeasurementFailedException wrongAnswer(String benchmark, Object expected, Object found) {
        return new MeasurementFailedException(benchmark + ": expected " + expected + ", found " + found);
    }
}
