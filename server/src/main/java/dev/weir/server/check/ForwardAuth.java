package dev.weir.server.check;

import dev.weir.engine.Outcome;
import dev.weir.engine.Request;
import dev.weir.engine.Weir;
import dev.weir.engine.http.HttpDecision;
import dev.weir.server.http.Exchange;
import dev.weir.server.http.LogSafeText;
import dev.weir.server.http.ProblemException;
import dev.weir.server.http.RouteAccess;
import dev.weir.server.http.Router;
import dev.weir.server.http.StrictUtf8;
import io.vertx.core.MultiMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Forward auth: a proxy sends a check before it forwards a request, and describes that request in headers.
 *
 * <p>Only headers of trusted proxies are used. For all other peers the address of the connection decides, whatever the
 * headers contain. Attributes come only from the headers that the configuration names, because a proxy may forward any
 * other header of its client unchanged. The address, path, method, host and channel never come from such a header.
 */
public final class ForwardAuth {
    private static final String STATUS = "X-RateLimit-Status";

    private final Weir weir;

    public ForwardAuth(Weir weir) {
        this.weir = weir;
    }

    public void register(Router router) {
        router.add(
                        RouteAccess.AUTHORIZE,
                        Router.ANY,
                        "/v1/authorize",
                        exchange -> decide(exchange, ForwardAuth::answer))
                .add(RouteAccess.AUTHORIZE, Router.ANY, "/v1/authorize/nginx", this::decideForNginx);
    }

    private interface ForwardAuthResponse {
        void answer(Exchange exchange, Outcome outcome);
    }

    private void decide(Exchange exchange, ForwardAuthResponse answering) {
        Request request = Request.of(attributes(exchange));
        exchange.whenDone(weir.checkAsync(request), outcome -> answering.answer(exchange, outcome));
    }

    /** A malformed request gets 403 as well, because nginx turns every other status into 500. */
    private void decideForNginx(Exchange exchange) {
        try {
            decide(exchange, ForwardAuth::answerNginx);
        } catch (RuntimeException e) {
            ProblemException problem = ProblemException.caused(e);
            if (problem.status() >= 500) {
                throw problem;
            }
            exchange.response().putHeader(STATUS, Integer.toString(problem.status()));
            exchange.problem(problem.withStatus(403));
        }
    }

    private static void answer(Exchange exchange, Outcome outcome) {
        exchange.decision(
                outcome, HttpDecision.status(outcome), HttpDecision.document(outcome, System.currentTimeMillis()));
    }

    /** nginx accepts only 2xx, 401 and 403. */
    private static void answerNginx(Exchange exchange, Outcome outcome) {
        exchange.response().putHeader(STATUS, Integer.toString(HttpDecision.status(outcome)));
        if (outcome.allowed()) {
            exchange.headers(outcome);
            exchange.empty(204);
        } else {
            exchange.decision(outcome, 403, HttpDecision.document(outcome, System.currentTimeMillis()));
        }
    }

    private Map<String, String> attributes(Exchange exchange) {
        Map<String, String> attributes = new HashMap<>();
        if (exchange.comesFromProxy()) {
            MultiMap headers = exchange.request().headers();
            weir.configuration()
                    .forwardAuth()
                    .headers()
                    .forEach((attribute, header) -> put(attributes, attribute, only(headers, header)));
            put(attributes, "method", only(headers, "X-Forwarded-Method"));
            put(attributes, "path", path(only(headers, "X-Forwarded-Uri")));
            put(attributes, "host", only(headers, "X-Forwarded-Host"));
        }
        attributes.put("channel", "http");
        attributes.put("ip", exchange.client());
        return attributes;
    }

    /**
     * Returns a header's value decoded as UTF-8, as it would be in a body. A repeated header is refused, because one of
     * the two may come from the client itself.
     */
    private static @Nullable String only(MultiMap headers, String name) {
        List<String> values = headers.getAll(name);
        if (values.size() > 1) {
            throw ProblemException.badField(LogSafeText.text(name), "this header occurs more than once");
        }
        String text = values.isEmpty() ? null : StrictUtf8.ofHeader(values.get(0));
        if (text == null && !values.isEmpty()) {
            throw ProblemException.badField(LogSafeText.text(name), "this header is not UTF-8");
        }
        return text;
    }

    private static void put(Map<String, String> attributes, String name, @Nullable String value) {
        if (value != null && !value.isEmpty()) {
            attributes.put(name, value);
        }
    }

    private static @Nullable String path(@Nullable String uri) {
        if (uri == null) {
            return null;
        }
        int end = uri.indexOf('?');
        return end < 0 ? uri : uri.substring(0, end);
    }
}
