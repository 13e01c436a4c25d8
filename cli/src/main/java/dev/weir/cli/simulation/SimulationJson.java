package dev.weir.cli.simulation;

import dev.weir.cli.log.LogFiles;
import dev.weir.cli.log.LoggedRequest;
import dev.weir.engine.config.Rate;
import dev.weir.engine.json.Json;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The result of a simulation as JSON. */
public final class SimulationJson {
    private static final String[] QUANTILES = {"p50", "p95", "p99", "max"};

    private SimulationJson() {}

    /** Writes the members of a simulation that has ended into an open object. */
    public static void write(Json json, Simulation simulation, LogFiles log) {
        json.field("requests", simulation.requests())
                .field("allowed", simulation.allowed())
                .field("refused", simulation.refused())
                .field("not_limited", simulation.unlimited())
                .field("rejected", simulation.rejected())
                .field("lines", log.lines())
                .field(
                        "lines_skipped",
                        log.files().stream()
                                .mapToLong(file -> file.file().skipped())
                                .sum())
                .field("lines_sorted", log.sorted())
                .field(
                        "lines_late",
                        log.files().stream().mapToLong(file -> file.late()).sum());
        time(json, "from", simulation.first());
        time(json, "to", simulation.last());
        json.name("limits").open('[');
        simulation.limits().forEach(limit -> write(json, limit));
        json.close(']').name("hours").open('[');
        for (Map.Entry<Long, HourCounts.Hour> hour : simulation.hours().byHour().entrySet()) {
            HourCounts.Hour counts = Objects.requireNonNull(hour.getValue());
            json.open('{')
                    .field("at", Objects.requireNonNull(hour.getKey()) * 3_600)
                    .field("requests", counts.asked())
                    .field("refused", counts.refused())
                    .close('}');
        }
        json.close(']').name("most_refused").open('[');
        List<Simulation.Refused> most = simulation.mostRefused(SimulationText.MOST_IDENTITIES);
        most.forEach(refused -> json.open('{')
                .field("subject", refused.identity())
                .field("times", refused.times())
                .close('}'));
        json.close(']');
    }

    private static void write(Json json, LimitUse limit) {
        Long first = limit.firstRefusalMicros();
        json.open('{')
                .field("name", limit.rule().name())
                .field("asked", limit.asked())
                .field("refused", limit.refused())
                .field("identities", limit.identities())
                .field("identities_refused", limit.identitiesRefused())
                .field("shadow", limit.rule().shadow());
        time(json, "first_refusal", first == null ? null : LoggedRequest.instant(first));
        json.name("rates").open('[');
        for (RateUse rate : limit.rates()) {
            json.open('{').field("row", rate.row()).field("rate", rate.rate().toString());
            json.name("highest_use_percent").open('{');
            double[] quantiles = rate.quantiles();
            for (int i = 0; i < QUANTILES.length; i++) {
                json.field(QUANTILES[i], Math.round(quantiles[i] * 100));
            }
            Rate enough = rate.refusing(SimulationText.ACCEPTABLE);
            json.close('}')
                    .field("refuses_at_most_0_1_percent", enough == null ? null : enough.toString())
                    .close('}');
        }
        json.close(']').close('}');
    }

    private static void time(Json json, String name, @Nullable Instant time) {
        json.field(name, time == null ? null : time.toString());
    }
}
