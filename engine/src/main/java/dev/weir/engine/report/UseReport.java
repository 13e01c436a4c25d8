package dev.weir.engine.report;

import java.time.Duration;
import java.util.List;

/**
 * How much the keys of one rate use in a period.
 *
 * @param row the row of the limit, {@code default} without rows
 * @param place the position of the rate in its row
 * @param period the period of the rate
 * @param observed how long requests were observed
 * @param oneOf the keys are a sample of one in this many; 1 if all keys are known
 * @param keys the number of keys in the sample
 * @param buckets ascending, without empty ones; numbers are extrapolated from the sample
 */
public record UseReport(
        String row, int place, Duration period, Duration observed, long oneOf, int keys, List<Bucket> buckets) {

    /**
     * Periods with about the same use.
     *
     * @param upTo the greatest use in this bucket
     * @param windows the number of periods in which a key used this much
     * @param used what was used in all these periods
     * @param keys the number of keys that never used more than this in one period, and at least once this much
     */
    public record Bucket(long upTo, long windows, long used, long keys) {}
}
