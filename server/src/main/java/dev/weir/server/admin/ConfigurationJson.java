package dev.weir.server.admin;

import dev.weir.engine.config.Condition;
import dev.weir.engine.config.Configuration;
import dev.weir.engine.config.CostRule;
import dev.weir.engine.config.LimitRule;
import dev.weir.engine.config.PenaltyRule;
import dev.weir.engine.config.Rate;
import dev.weir.engine.event.AlertRule;
import dev.weir.engine.http.HttpDecision;
import dev.weir.engine.json.Json;
import dev.weir.spi.settings.SettingsSnapshot;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Writes a configuration as JSON for people: what each limit counts, for which subjects, and how much. Contains no
 * secrets.
 */
public final class ConfigurationJson {
    private ConfigurationJson() {}

    public static void write(Json json, Configuration configuration, SettingsSnapshot settings) {
        PenaltyRule penalty = configuration.penalty();
        json.field("enabled", configuration.enabled())
                .field("version", settings.version())
                .field("bare", new SubjectAttributes(configuration).bare());
        json.name("limits").open('[');
        configuration.limits().forEach(limit -> write(json, limit, settings));
        json.close(']');
        json.name("penalty");
        if (penalty == null) {
            json.nothing();
        } else {
            json.open('{').field("per", penalty.per()).name("backoff_secs").open('[');
            penalty.backoff().forEach(wait -> json.value(HttpDecision.wholeSeconds(wait)));
            json.close(']')
                    .field(
                            "backoff",
                            penalty.backoff().stream()
                                    .map(wait -> HttpDecision.wholeSeconds(wait) + " s")
                                    .toList())
                    .field("reset_after_secs", HttpDecision.wholeSeconds(penalty.resetAfter()))
                    .field("enforce", penalty.enforce())
                    .close('}');
        }
        json.name("alerts").open('[');
        configuration.alerts().forEach(alert -> write(json, alert));
        json.close(']');
    }

    private static void write(Json json, LimitRule limit, SettingsSnapshot settings) {
        Map<String, String> changed = settings.defaults().getOrDefault(limit.name(), Map.of());
        Map<String, String> burst = new LinkedHashMap<>();
        limit.burst().forEach((row, capacity) -> burst.put(row, Long.toString(capacity)));
        Map<String, String> match = new LinkedHashMap<>();
        limit.match().forEach((attribute, condition) -> match.put(attribute, text(condition)));
        json.open('{').field("name", limit.name()).field("per", per(limit));
        json.field("by", limit.by())
                .field("match", match)
                .field("rates", rates(limit, settings))
                .field("configured", configured(limit))
                .field("changed", changed.keySet())
                .field("burst", burst)
                .field("cost", cost(limit.cost()))
                .field("algorithm", limit.algorithm().text())
                .field("warn", limit.warnPercent() == null ? null : limit.warnPercent() + "%")
                .field("shadow", limit.shadow())
                .field("on_missing", limit.onMissing().text())
                .field("on_store_failure", limit.onStoreFailure().text())
                .close('}');
    }

    static List<String> per(LimitRule limit) {
        return limit.per().stream().map(part -> String.join("|", part)).toList();
    }

    /** Returns the rates that apply to all subjects, by row: the configuration's, replaced by those of the settings. */
    static Map<String, String> rates(LimitRule limit, SettingsSnapshot settings) {
        Map<String, String> rates = configured(limit);
        rates.putAll(settings.defaults().getOrDefault(limit.name(), Map.of()));
        return rates;
    }

    private static Map<String, String> configured(LimitRule limit) {
        Map<String, String> rates = new LinkedHashMap<>();
        limit.rates()
                .forEach((row, all) ->
                        rates.put(row, all.stream().map(Rate::toString).collect(Collectors.joining(", "))));
        return rates;
    }

    private static void write(Json json, AlertRule alert) {
        json.open('{');
        if (alert instanceof AlertRule.Violations violations) {
            json.field("watches", "violations")
                    .field("threshold", violations.count())
                    .field("per", violations.per());
        } else if (alert instanceof AlertRule.DeniedShare share) {
            json.field("watches", "denied-share").field("threshold", share.percent());
        }
        json.field("within_secs", HttpDecision.wholeSeconds(alert.within()))
                // The URL of the webhook may contain a secret.
                .field("webhook", alert.webhook() != null)
                .close('}');
    }

    private static String text(Condition condition) {
        String patterns = String.join(", ", condition.patterns());
        if (!condition.orAbsent()) {
            return patterns;
        }
        return patterns.isEmpty() ? "absent" : patterns + ", or absent";
    }

    private static String cost(CostRule cost) {
        if (cost instanceof CostRule.Fixed fixed) {
            return Long.toString(fixed.cost());
        }
        if (cost instanceof CostRule.Attribute attribute) {
            return attribute.name();
        }
        return cost instanceof CostRule.Rows rows ? "by " + rows.by() : "1";
    }
}
