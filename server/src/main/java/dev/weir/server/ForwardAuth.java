package dev.weir.server;

import dev.weir.engine.Outcome;
import dev.weir.engine.Request;
import dev.weir.engine.Weir;
import dev.weir.engine.address.ClientAddress;
import dev.weir.engine.address.ProxyHeader;
import dev.weir.engine.address.TrustedProxies;
import dev.weir.engine.config.Configuration;
import dev.weir.engine.http.DecisionText;
import io.vertx.core.MultiMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Forward auth: a proxy asks before it passes a request on, and says in headers what the request is.
 *
 * <p>Headers count only from trusted proxies. Anybody else is decided by the address of its connection alone, whatever
 * it claims. A proxy has to set, or clear, every {@code X-Weir-} header itself: what its client sent comes through
 * otherwise.
 */
final class ForwardAuth {
    private static final String ATTRIBUTE = "x-weir-";
    private static final String STATUS = "X-RateLimit-Status";

    private final Weir weir;
    /** Made again when the configuration is another. */
    private volatile @Nullable Trust trust;

    ForwardAuth(Weir weir) {
        this.weir = weir;
    }

    private record Trust(List<String> networks, int ipv6Prefix, TrustedProxies proxies, ClientAddress addresses) {
        boolean isOf(Configuration configuration) {
            return networks.equals(configuration.trustedProxies()) && ipv6Prefix == configuration.ipv6Prefix();
        }

        static Trust of(Configuration configuration) {
            TrustedProxies proxies = TrustedProxies.of(configuration.trustedProxies());
            return new Trust(
                    configuration.trustedProxies(),
                    configuration.ipv6Prefix(),
                    proxies,
                    ClientAddress.behind(proxies, configuration.ipv6Prefix(), ProxyHeader.EITHER));
        }
    }

    void register(Router router) {
        router.share(Router.ANY, "/v1/authorize", exchange -> decide(exchange, ForwardAuth::answer))
                .add(Router.ANY, "/v1/authorize/nginx", this::decideForNginx);
    }

    /** Who asks, as far as it can be believed. */
    String client(Exchange exchange) {
        MultiMap headers = exchange.request().headers();
        return trust().addresses.of(exchange.peer(), headers.getAll("Forwarded"), headers.getAll("X-Forwarded-For"));
    }

    private interface Answering {
        void answer(Exchange exchange, Outcome outcome);
    }

    private void decide(Exchange exchange, Answering answering) {
        Request request = Request.of(attributes(exchange));
        exchange.whenDone(weir.checkAsync(request), outcome -> answering.answer(exchange, outcome));
    }

    /** To nginx a request that is malformed is a forbidden one, too: it makes 500 of every other status. */
    private void decideForNginx(Exchange exchange) {
        try {
            decide(exchange, ForwardAuth::answerNginx);
        } catch (RuntimeException e) {
            Problem problem = Problem.caused(e);
            if (problem.status() >= 500) {
                throw problem;
            }
            exchange.response().putHeader(STATUS, Integer.toString(problem.status()));
            exchange.problem(problem.withStatus(403));
        }
    }

    private static void answer(Exchange exchange, Outcome outcome) {
        exchange.decision(
                outcome, DecisionText.status(outcome), DecisionText.document(outcome, System.currentTimeMillis()));
    }

    /** nginx knows only yes (2xx), 401 and 403. */
    private static void answerNginx(Exchange exchange, Outcome outcome) {
        exchange.response().putHeader(STATUS, Integer.toString(DecisionText.status(outcome)));
        if (outcome.allowed()) {
            exchange.headers(outcome);
            exchange.empty(204);
        } else {
            exchange.decision(outcome, 403, DecisionText.document(outcome, System.currentTimeMillis()));
        }
    }

    private Map<String, String> attributes(Exchange exchange) {
        Map<String, String> attributes = new HashMap<>();
        attributes.put("channel", "http");
        attributes.put("ip", client(exchange));
        if (!trust().proxies.contains(exchange.peer())) {
            return attributes;
        }
        MultiMap headers = exchange.request().headers();
        put(attributes, "method", text(headers, "X-Forwarded-Method"));
        put(attributes, "path", path(text(headers, "X-Forwarded-Uri")));
        put(attributes, "host", text(headers, "X-Forwarded-Host"));
        headers.forEach((name, value) -> {
            String lower = name.toLowerCase(Locale.ROOT);
            if (lower.startsWith(ATTRIBUTE) && lower.length() > ATTRIBUTE.length()) {
                once(headers, name);
                put(attributes, lower.substring(ATTRIBUTE.length()), text(headers, name));
            }
        });
        return attributes;
    }

    /** Of two values one may be the client's own. */
    private static void once(MultiMap headers, String name) {
        List<String> values = headers.getAll(name);
        if (values.size() > 1) {
            throw Problem.badField(Shown.text(name), "this header is there twice");
        }
    }

    /** What the same value is in a body: headers carry bytes, and those are UTF-8. */
    private static @Nullable String text(MultiMap headers, String name) {
        String value = headers.get(name);
        String text = value == null ? null : Utf8.ofHeader(value);
        if (value != null && text == null) {
            throw Problem.badField(Shown.text(name), "this header is not UTF-8");
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

    private Trust trust() {
        Trust known = trust;
        Configuration configuration = weir.configuration();
        if (known == null || !known.isOf(configuration)) {
            known = Trust.of(configuration);
            trust = known;
        }
        return known;
    }
}
