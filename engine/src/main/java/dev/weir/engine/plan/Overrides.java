package dev.weir.engine.plan;

import dev.weir.engine.Weir;
import dev.weir.engine.config.Algorithm;
import dev.weir.engine.config.Configuration;
import dev.weir.engine.config.LimitRule;
import dev.weir.engine.config.Rate;
import dev.weir.engine.config.Rates;
import dev.weir.engine.path.ClientText;
import dev.weir.spi.settings.SettingsChange;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Validates changes of the runtime settings. A new change that does not fit is rejected with an exception. A stored
 * setting that no longer fits a changed configuration is ignored and logged.
 */
public final class Overrides {
    private static final Logger LOG = System.getLogger(Weir.class.getName());

    private Overrides() {}

    /**
     * Rejects a change that does not fit this configuration.
     *
     * @throws IllegalArgumentException if it does not fit; the message contains the fault and the remedy
     */
    public static void check(Configuration configuration, SettingsChange change) {
        checkRates(configuration, change.limits());
        if (change instanceof SettingsChange.RemoveExempt remove) {
            String attribute = remove.subject().attribute();
            Set<String> exempt = configuration.exempt().getOrDefault(attribute, Set.of());
            if (exempt.contains(remove.subject().value())) {
                throw new IllegalArgumentException(
                        "this " + attribute + " is exempt by the configuration; it can only be removed there");
            }
        }
    }

    /** The rate of a setting; null, and logged, if the limit cannot have it. */
    static @Nullable Rate usable(LimitRule rule, String row, @Nullable String text) {
        try {
            return rate(rule, row, String.valueOf(text));
        } catch (IllegalArgumentException e) {
            LOG.log(Level.WARNING, "a setting does not fit the configuration and is ignored: " + e.getMessage());
            return null;
        }
    }

    private static void checkRates(Configuration configuration, Map<String, Map<String, String>> limits) {
        limits.forEach((name, rows) -> {
            LimitRule rule = configuration.limit(name);
            if (rule == null) {
                throw new IllegalArgumentException("there is no limit '" + ClientText.shown(name, 64)
                        + "'; choose one of " + configuration.limitNames());
            }
            if (rows.isEmpty()) {
                throw new IllegalArgumentException("limit '" + name + "' is given no rate; name at least one row");
            }
            rows.forEach((row, text) -> rate(rule, row, text));
        });
    }

    private static Rate rate(LimitRule rule, String row, String text) {
        if (!rule.rates().containsKey(row)) {
            throw new IllegalArgumentException("limit '" + rule.name() + "' has no row '" + ClientText.shown(row, 64)
                    + "'; it has " + String.join(", ", rule.rates().keySet()));
        }
        try {
            Rate rate = Rates.parse(text);
            boolean slots = rule.algorithm() == Algorithm.CONCURRENCY;
            if (slots != (rate.period() == null)) {
                throw new IllegalArgumentException(
                        slots ? "for concurrency it must be a plain number" : "it needs a period, such as 60/min");
            }
            Row.override(rule, row, rate);
            return rate;
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "the rate of limit '" + rule.name() + "', row '" + row + "', is '" + ClientText.shown(text, 64)
                            + "'; " + e.getMessage(),
                    e);
        }
    }
}
