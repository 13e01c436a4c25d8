package dev.weir.cli.simulation;

import dev.weir.engine.config.LimitRule;
import dev.weir.engine.config.Rate;
import dev.weir.engine.report.WindowHistogram;
import dev.weir.engine.report.WindowUse;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How the keys of a limit use one of its rates, if nothing were refused. Not thread-safe. */
public final class RateUse {
    private static final double[] QUANTILES = {0.50, 0.95, 0.99, 1};

    private final String row;
    private final Rate rate;
    private final long capacity;
    private final long periodMicros;
    private final WindowHistogram windows = new WindowHistogram(10, 6);
    /** The shares of the keys, sorted; null until the end. */
    private double @Nullable [] shares;

    RateUse(LimitRule rule, String row, int place) {
        this.row = row;
        this.rate = Objects.requireNonNull(rule.rates().get(row), "every limit has this row")
                .get(place);
        this.capacity = Math.max(1, rule.policies(row).get(place).capacity());
        this.periodMicros = rate.period() == null
                ? Long.MAX_VALUE
                : Math.max(1, rate.period().toNanos() / 1_000);
    }

    /** The use of one key under this rate, counted in periods that begin with a request. */
    static final class Key {
        private final RateUse rate;
        private final WindowUse use;

        Key(RateUse rate, long now) {
            this.rate = rate;
            this.use = new WindowUse(now);
        }

        void add(long now, long cost) {
            use.add(now, cost, rate.periodMicros, rate.windows, 1);
        }

        RateUse rate() {
            return rate;
        }

        /** Ends the last period; returns the most that was used in one, as a share of the capacity. */
        double end() {
            rate.windows.add(use.used());
            return (double) use.peak() / rate.capacity;
        }
    }

    void end(double[] peakShares) {
        Arrays.sort(peakShares);
        shares = peakShares;
    }

    /** The row of the limit, {@code default} without rows. */
    public String row() {
        return row;
    }

    /** The rate as configured. */
    public Rate rate() {
        return rate;
    }

    /**
     * The most that the keys used in one period, as shares of the capacity: of half the keys, 95 % and 99 % of the keys
     * at most this, and of the heaviest key.
     */
    public double[] quantiles() {
        double[] sorted = shares;
        double[] quantiles = new double[QUANTILES.length];
        if (sorted != null && sorted.length > 0) {
            for (int i = 0; i < quantiles.length; i++) {
                quantiles[i] = sorted[Math.max(0, (int) Math.ceil(QUANTILES[i] * sorted.length) - 1)];
            }
        }
        return quantiles;
    }

    /** The number of keys that used this rate. */
    public int keys() {
        return shares == null ? 0 : shares.length;
    }

    /** About the smallest rate of the same period that refuses at most this share; null if nothing used it. */
    public @Nullable Rate refusing(double share) {
        long count = windows.countRefusing(share);
        return count == 0 || rate.period() == null ? null : new Rate(count, rate.period());
    }
}
