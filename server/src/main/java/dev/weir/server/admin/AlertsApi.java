package dev.weir.server.admin;

import dev.weir.engine.Weir;
import dev.weir.engine.json.Json;
import dev.weir.server.dashboard.Incidents;
import dev.weir.server.http.Exchange;
import dev.weir.server.http.JsonTree;
import dev.weir.server.http.ProblemException;
import dev.weir.server.http.RouteAccess;
import dev.weir.server.http.Router;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** HTTP routes for alerts: list them as incidents, acknowledge and mute them. All of it is kept by this node only. */
public final class AlertsApi {
    private static final String ONE = "/api/admin/alerts/{id}";
    private static final Duration LONGEST_MUTE = Duration.ofDays(31);

    private final Weir weir;
    private final Incidents incidents;

    public AlertsApi(Weir weir, Incidents incidents) {
        this.weir = weir;
        this.incidents = incidents;
    }

    public void register(Router router) {
        router.add(RouteAccess.READ, "GET", "/v1/alerts", exchange -> exchange.json(200, all()))
                .add(RouteAccess.OPERATE, "POST", ONE + "/acknowledge", this::acknowledge)
                .add(RouteAccess.OPERATE, "PUT", ONE + "/mute", this::mute)
                .add(RouteAccess.OPERATE, "DELETE", ONE + "/mute", exchange -> mute(exchange, null));
    }

    private Json all() {
        Json json = Json.newObject(1024).name("alerts").open('[');
        incidents.writeAfter(0, json);
        return json.close(']').close('}');
    }

    private void acknowledge(Exchange exchange) {
        if (!incidents.acknowledge(id(exchange), AdminApi.who(exchange), Instant.now())) {
            throw unknown();
        }
        exchange.empty(204);
    }

    private void mute(Exchange exchange) {
        exchange.readBody(body -> {
            JsonTree tree = JsonTree.read(body).only(ValidityJson.FOR, ValidityJson.EXPIRES_AT);
            Instant now = Instant.now();
            Instant until = ValidityJson.end(tree, now);
            if (until == null || until.isAfter(now.plus(LONGEST_MUTE))) {
                throw ProblemException.badField(
                        ValidityJson.FOR, "for must say how long to mute the alert, at most 31 days");
            }
            mute(exchange, until);
        });
    }

    private void mute(Exchange exchange, @Nullable Instant until) {
        Incidents.Alerted muted = incidents.mute(id(exchange), AdminApi.who(exchange), until);
        if (muted == null) {
            throw unknown();
        }
        weir.muteAlert(muted.name(), muted.subject(), until);
        exchange.empty(204);
    }

    private static long id(Exchange exchange) {
        String text = exchange.parameter(0);
        if (!text.matches("[1-9][0-9]{0,17}")) {
            throw unknown();
        }
        return Long.parseLong(text);
    }

    private static ProblemException unknown() {
        return ProblemException.notFound("this node has no alert with this id; GET /v1/alerts lists them");
    }
}
