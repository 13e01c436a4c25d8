package dev.weir.server.dashboard;

import dev.weir.engine.Weir;
import dev.weir.engine.config.LimitRule;
import dev.weir.engine.config.Rate;
import dev.weir.engine.config.Rates;
import dev.weir.engine.json.Json;
import dev.weir.engine.report.SampledUse;
import dev.weir.engine.report.UseReport;
import dev.weir.server.http.Exchange;
import dev.weir.server.http.ProblemException;
import dev.weir.server.http.RouteAccess;
import dev.weir.server.http.Router;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How much the keys of a limit use in a period, over HTTP: to choose a rate by what it would have refused. */
public final class LimitUseApi {
    private final Weir weir;
    private final SampledUse use = new SampledUse(System::nanoTime);

    /** Observes the requests of the engine from now on. */
    public LimitUseApi(Weir weir) {
        this.weir = weir;
        weir.sampleUse(use);
    }

    public void register(Router router) {
        router.add(RouteAccess.READ, "GET", "/v1/limits/{limit}/use", this::use);
    }

    private void use(Exchange exchange) {
        String name = exchange.parameter(0);
        LimitRule limit = weir.configuration().limits().stream()
                .filter(rule -> rule.name().equals(name))
                .findFirst()
                .orElseThrow(() -> ProblemException.notFound("there is no limit with this name"));
        exchange.blocking(
                () -> {
                    Json json = Json.newObject(4096)
                            .field("limit", name)
                            .name("rates")
                            .open('[');
                    use.of(name).forEach(report -> write(json, report, rate(limit, report)));
                    return json.close(']').close('}');
                },
                json -> exchange.json(200, json));
    }

    /** Returns the rate in force; null if there is none with this period any more. */
    private @Nullable Rate rate(LimitRule limit, UseReport report) {
        List<Rate> rates = limit.rates().get(report.row());
        if (rates == null || rates.size() <= report.place()) {
            return null;
        }
        String changed =
                weir.settings().defaults().getOrDefault(limit.name(), Map.of()).get(report.row());
        Rate rate = changed == null ? rates.get(report.place()) : Rates.parse(changed);
        return report.period().equals(rate.period()) ? rate : null;
    }

    private static void write(Json json, UseReport report, @Nullable Rate rate) {
        String perOne = new Rate(1, report.period()).toString();
        json.open('{')
                .field("row", report.row())
                .field("rate", rate == null ? null : rate.toString())
                .field("per", perOne.substring(perOne.indexOf('/') + 1))
                .field("period_ms", report.period().toMillis())
                .field("observed_secs", report.observed().toSeconds())
                .field("one_of", report.oneOf())
                .field("keys", report.keys());
        json.name("buckets").open('[');
        for (UseReport.Bucket bucket : report.buckets()) {
            json.open('{')
                    .field("up_to", bucket.upTo())
                    .field("windows", bucket.windows())
                    .field("used", bucket.used())
                    .field("keys", bucket.keys())
                    .close('}');
        }
        json.close(']').close('}');
    }
}
