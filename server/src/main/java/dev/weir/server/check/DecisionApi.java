package dev.weir.server.check;

import dev.weir.Answer;
import dev.weir.DurationText;
import dev.weir.Settlement;
import dev.weir.engine.Explanation;
import dev.weir.engine.Hold;
import dev.weir.engine.LimitResult;
import dev.weir.engine.Outcome;
import dev.weir.engine.Weir;
import dev.weir.engine.http.HttpDecision;
import dev.weir.engine.http.StatusText;
import dev.weir.engine.json.Json;
import dev.weir.server.http.Exchange;
import dev.weir.server.http.JsonTree;
import dev.weir.server.http.LogSafeText;
import dev.weir.server.http.ProblemException;
import dev.weir.server.http.RouteAccess;
import dev.weir.server.http.Router;
import dev.weir.server.http.StrictUtf8;
import dev.weir.spi.settings.Subject;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** HTTP routes for decisions: check, peek, reservations, leases, and the rate limits of a caller. */
public final class DecisionApi {
    private static final Duration RESERVATION_TTL = Duration.ofMinutes(5);
    private static final Duration LEASE_TTL = Duration.ofMinutes(1);

    private final Weir weir;

    public DecisionApi(Weir weir) {
        this.weir = weir;
    }

    public void register(Router router) {
        router.add(RouteAccess.DECIDE, "POST", "/v1/check", this::check)
                .add(RouteAccess.DECIDE, "POST", "/v1/peek", this::peek)
                .add(RouteAccess.READ, "POST", "/v1/explain", this::explain)
                .add(RouteAccess.DECIDE, "POST", "/v1/reservations", this::reserve)
                .add(RouteAccess.DECIDE, "POST", "/v1/reservations/{id}/settle", this::settle)
                .add(RouteAccess.DECIDE, "PUT", "/v1/reservations/{id}", this::prolong)
                .add(RouteAccess.DECIDE, "DELETE", "/v1/reservations/{id}", this::cancel)
                .add(RouteAccess.DECIDE, "POST", "/v1/leases", this::acquire)
                .add(RouteAccess.DECIDE, "PUT", "/v1/leases/{id}", this::renew)
                .add(RouteAccess.DECIDE, "DELETE", "/v1/leases/{id}", this::release)
                .add(RouteAccess.DECIDE, "GET", "/api/rate-limits", this::rateLimits);
    }

    private void check(Exchange exchange) {
        exchange.readBody(body -> {
            CheckBody check = CheckBody.read(body, CheckBody.Kind.CHECK);
            exchange.whenDone(
                    weir.checkAsync(check.request()),
                    outcome -> answer(exchange, outcome, HttpDecision.status(outcome)));
        });
    }

    private void peek(Exchange exchange) {
        exchange.readBody(body -> {
            CheckBody check = CheckBody.read(body, CheckBody.Kind.CHECK);
            exchange.whenDone(
                    weir.peekAsync(check.request()), outcome -> answer(exchange, outcome, HttpDecision.ALLOWED));
        });
    }

    private void explain(Exchange exchange) {
        exchange.readBody(body -> {
            CheckBody check = CheckBody.read(body, CheckBody.Kind.CHECK);
            exchange.whenDone(
                    weir.explainAsync(check.request()),
                    explanation -> exchange.json(200, text(explanation, System.currentTimeMillis())));
        });
    }

    private static Json text(Explanation explanation, long nowMillis) {
        Json json = Json.newObject(1024).field("attributes", new TreeMap<>(explanation.attributes()));
        json.name("matched").open('[');
        for (Explanation.Matched matched : explanation.matched()) {
            LimitResult result = matched.result();
            json.open('{')
                    .field("limit", result.name())
                    .field("key_by", result.keyedBy())
                    .field("row", result.row())
                    .field("capacity", result.capacity())
                    .field("remaining", Math.max(0, result.remaining()))
                    .field("allowed", result.allowed())
                    .field("shadow", result.shadow())
                    .name("override");
            Subject override = matched.override();
            if (override == null) {
                json.nothing();
            } else {
                json.open('{')
                        .field("subject", override.attribute() + "=" + override.value())
                        .field("rate", matched.rate())
                        .close('}');
            }
            json.close('}');
        }
        json.close(']').name("skipped").open('[');
        explanation
                .skipped()
                .forEach(skipped -> json.open('{')
                        .field("limit", skipped.limit())
                        .field("why", skipped.why())
                        .close('}'));
        json.close(']').field("exempt", explanation.exempt()).name("decision").open('{');
        HttpDecision.members(json, explanation.decision(), nowMillis);
        return json.close('}').close('}');
    }

    private static void answer(Exchange exchange, Outcome outcome, int status) {
        exchange.decision(outcome, status, HttpDecision.document(outcome, System.currentTimeMillis()));
    }

    private void reserve(Exchange exchange) {
        exchange.readBody(body -> {
            CheckBody check = CheckBody.read(body, CheckBody.Kind.HOLD);
            exchange.whenDone(
                    weir.reserveAsync(check.request(), reservationTtl(check.ttl())), hold -> answer(exchange, hold));
        });
    }

    private void acquire(Exchange exchange) {
        exchange.readBody(body -> {
            CheckBody check = CheckBody.read(body, CheckBody.Kind.HOLD);
            exchange.whenDone(
                    weir.acquireAsync(check.request(), leaseTtl(check.ttl())), hold -> answer(exchange, hold));
        });
    }

    private Duration reservationTtl(@Nullable Duration given) {
        return ttl(given, RESERVATION_TTL, weir.configuration().holds().longestReservation(), "longest-reservation");
    }

    private Duration leaseTtl(@Nullable Duration given) {
        return ttl(given, LEASE_TTL, weir.configuration().holds().longestLease(), "longest-lease");
    }

    private static Duration ttl(@Nullable Duration given, Duration usual, Duration longest, String key) {
        if (given == null) {
            return usual.compareTo(longest) < 0 ? usual : longest;
        }
        if (given.compareTo(longest) > 0) {
            throw ProblemException.badField(
                    "ttl",
                    "ttl must be at most " + DurationText.of(longest) + ", as holds." + key
                            + " in the configuration says; prolong or renew what is needed for longer");
        }
        return given;
    }

    private static void answer(Exchange exchange, Hold hold) {
        long nowMillis = System.currentTimeMillis();
        Json json = Json.newObject(640);
        if (hold.id() != null) {
            json.field("id", hold.id()).field("expires_at", HttpDecision.unixSeconds(nowMillis, hold.ttl()));
        }
        HttpDecision.members(json, hold.outcome(), nowMillis);
        exchange.decision(
                hold.outcome(),
                hold.granted() ? 201 : HttpDecision.DENIED,
                json.close('}').bytes());
    }

    private void settle(Exchange exchange) {
        exchange.readBody(body -> {
            Map<String, Long> costs = JsonTree.read(body).only("costs").numbers("costs");
            checkNames(costs);
            exchange.whenDone(
                    weir.settleAsync(exchange.parameter(0), costs), settlement -> settled(exchange, settlement));
        });
    }

    private void checkNames(Map<String, Long> costs) {
        costs.keySet().forEach(name -> {
            if (weir.configuration().limit(name) == null) {
                throw ProblemException.badField(
                        "costs." + LogSafeText.text(name),
                        "there is no limit of this name; choose one of "
                                + weir.configuration().limitNames());
            }
        });
    }

    private static void settled(Exchange exchange, Settlement settlement) {
        switch (settlement) {
            case DONE ->
                exchange.json(
                        200,
                        Json.newObject(64)
                                .field("id", exchange.parameter(0))
                                .field("settled", true)
                                .close('}'));
            case ALREADY_CLOSED ->
                throw ProblemException.conflict("this reservation has been settled or cancelled before");
            case UNKNOWN ->
                throw ProblemException.notFound("there is no such reservation; if it has expired, its estimate stands");
        }
    }

    /** Cancelling succeeds whatever the previous state: afterwards nothing is held. */
    private void cancel(Exchange exchange) {
        exchange.whenDone(weir.cancelAsync(exchange.parameter(0)), settlement -> exchange.empty(204));
    }

    private void prolong(Exchange exchange) {
        keep(
                exchange,
                this::reservationTtl,
                ttl -> weir.prolongAsync(exchange.parameter(0), ttl),
                "this reservation is not open; if it has expired, its estimate stands");
    }

    private void renew(Exchange exchange) {
        keep(
                exchange,
                this::leaseTtl,
                ttl -> weir.renewAsync(exchange.parameter(0), ttl),
                "this lease is not held; acquire a new one");
    }

    /** Extends a hold, from now, by the time in the body or by the default time. */
    private static void keep(
            Exchange exchange,
            Function<@Nullable Duration, Duration> bounded,
            Function<Duration, Answer<Boolean>> keep,
            String ended) {
        exchange.readBody(body -> {
            JsonTree tree =
                    body.length == 0 ? JsonTree.empty() : JsonTree.read(body).only("ttl");
            String text = tree.text("ttl");
            Duration ttl = bounded.apply(text == null ? null : CheckBody.ttl(text));
            exchange.whenDone(keep.apply(ttl), held -> {
                if (!held) {
                    throw ProblemException.notFound(ended);
                }
                exchange.json(
                        200,
                        Json.newObject(96)
                                .field("id", exchange.parameter(0))
                                .field("expires_at", HttpDecision.unixSeconds(System.currentTimeMillis(), ttl))
                                .close('}'));
            });
        });
    }

    private void release(Exchange exchange) {
        exchange.whenDone(weir.releaseAsync(exchange.parameter(0)), held -> exchange.empty(204));
    }

    /** Responds with the caller's plan and each limit that applies to it. */
    private void rateLimits(Exchange exchange) {
        Map<String, String> attributes = query(exchange.request().query());
        if (attributes.isEmpty()) {
            throw ProblemException.badField("user", "name the subject: /api/rate-limits?user=u1&plan=free");
        }
        exchange.whenDone(weir.statusAsync(attributes), limits -> {
            String plan = attributes.getOrDefault(
                    "plan", weir.configuration().defaults().get("plan"));
            exchange.json(200, StatusText.document(plan, limits, System.currentTimeMillis()));
        });
    }

    /** Parses attributes in the encoding of HTML forms: {@code user=a+b&plan=free}. */
    private static Map<String, String> query(@Nullable String query) {
        Map<String, String> attributes = new HashMap<>();
        for (String pair : query == null ? new String[0] : query.split("&", -1)) {
            int equals = pair.indexOf('=');
            String name = part(equals < 0 ? pair : pair.substring(0, equals));
            String value = equals < 0 ? "" : part(pair.substring(equals + 1));
            if (!pair.isEmpty() && attributes.put(name, value) != null) {
                throw ProblemException.badField(LogSafeText.text(name), "this attribute is there twice");
            }
        }
        return attributes;
    }

    private static String part(String written) {
        String text = StrictUtf8.ofAddress(written.replace('+', ' '));
        if (text == null) {
            throw ProblemException.badField(
                    LogSafeText.text(written), "this is not UTF-8 with bytes as '%' and two hexadecimal digits");
        }
        return text;
    }
}
