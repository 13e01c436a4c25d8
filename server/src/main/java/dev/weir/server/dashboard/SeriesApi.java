package dev.weir.server.dashboard;

import dev.weir.engine.json.Json;
import dev.weir.server.http.Exchange;
import dev.weir.server.http.ProblemException;
import dev.weir.server.http.RouteAccess;
import dev.weir.server.http.Router;
import io.vertx.core.http.HttpHeaders;
import java.nio.charset.StandardCharsets;

/** Series over HTTP: decisions and latencies over time, as JSON and as CSV. */
final class SeriesApi {
    private static final CharSequence CSV = HttpHeaders.createOptimized("text/csv; charset=utf-8");

    private final TimeSeries series;

    SeriesApi(TimeSeries series) {
        this.series = series;
    }

    void register(Router router) {
        router.add(RouteAccess.READ, "GET", "/v1/series", this::series)
                .add(RouteAccess.READ, "GET", "/v1/series/limits", this::limits);
    }

    private void series(Exchange exchange) {
        TimeSeries.Section section = section(exchange);
        String limit = exchange.request().getParam("limit");
        String format = exchange.request().getParam("format", "json");
        if (!format.equals("json") && !format.equals("csv")) {
            throw ProblemException.badField("format", "format must be json or csv");
        }
        if (limit != null && !series.limits().contains(limit)) {
            throw ProblemException.badField("limit", "there is no limit with this name, or it has no series");
        }
        if (format.equals("csv")) {
            exchange.blocking(
                    () -> series.csv(section, limit).getBytes(StandardCharsets.UTF_8),
                    text -> exchange.text(CSV, text));
        } else {
            exchange.blocking(() -> series.json(section, limit), json -> exchange.json(200, json));
        }
    }

    private void limits(Exchange exchange) {
        TimeSeries.Section section = section(exchange);
        exchange.blocking(
                () -> {
                    Json json = Json.newObject(4096)
                            .field("range", section.range().text)
                            .field("recorded_since", series.recordedSince());
                    json.name("limits").open('{');
                    series.writeLimits(json, section);
                    return json.close('}').close('}');
                },
                json -> exchange.json(200, json));
    }

    private static TimeSeries.Section section(Exchange exchange) {
        SeriesRange range = SeriesRange.of(exchange.request().getParam("range", "1h"));
        if (range == null) {
            throw ProblemException.badField("range", "range must be 1h, 1d or 1w");
        }
        return new TimeSeries.Section(range, second(exchange, "from", 0), second(exchange, "to", Long.MAX_VALUE));
    }

    /** Reads a time in seconds since 1970; a negative one counts back from now. */
    private static long second(Exchange exchange, String name, long otherwise) {
        String text = exchange.request().getParam(name);
        try {
            long second = text == null ? otherwise : Long.parseLong(text);
            return second >= 0 ? second : Math.max(0, System.currentTimeMillis() / 1000 + second);
        } catch (NumberFormatException e) {
            throw ProblemException.badField(
                    name,
                    name + " must be a time in whole seconds since 1970, or a negative number of seconds from now");
        }
    }
}
