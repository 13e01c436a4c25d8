package dev.weir.server.http;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Maps method and path to an endpoint. A path part in braces is a parameter: {@code /v1/leases/{id}}.
 *
 * <p>Paths without a parameter are looked up in a hash table; of the others the first match wins. Filled at the start,
 * then only read.
 */
public final class Router {
    /** Matches every method. */
    public static final String ANY = "*";

    private final Access access;
    private final Map<String, Map<String, Route>> fixed = new HashMap<>();
    private final List<Pattern> open = new ArrayList<>();

    private record Route(RouteAccess need, Consumer<Exchange> endpoint) {}

    private record Pattern(List<String> parts, Map<String, Route> methods) {}

    private record RouteMatch(Map<String, Route> methods, List<String> parameters) {}

    public Router(Access access) {
        this.access = access;
    }

    /** Adds an endpoint. It is called only for requests that meet {@code need}. */
    public Router add(RouteAccess need, String method, String path, Consumer<Exchange> endpoint) {
        Route route = new Route(need, endpoint);
        if (!path.contains("{")) {
            fixed.computeIfAbsent(path, key -> new LinkedHashMap<>()).put(method, route);
            return this;
        }
        List<String> parts = List.of(path.split("/", -1));
        Pattern pattern = open.stream()
                .filter(known -> known.parts.equals(parts))
                .findFirst()
                .orElseGet(() -> {
                    Pattern added = new Pattern(parts, new LinkedHashMap<>());
                    open.add(added);
                    return added;
                });
        pattern.methods.put(method, route);
        return this;
    }

    public void handle(Exchange exchange) {
        String path = exchange.request().path();
        Map<String, Route> methods = path == null ? null : fixed.get(path);
        if (methods == null) {
            RouteMatch found = path == null ? null : find(path);
            if (found == null) {
                throw ProblemException.notFound("there is nothing at this path; /openapi.yaml lists the paths");
            }
            methods = found.methods;
            exchange.with(found.parameters);
        }
        HttpMethod method = exchange.request().method();
        Route route = methods.get(method.name());
        if (route == null && exchange.isHead()) {
            route = methods.get("GET");
        }
        if (route == null) {
            route = methods.get(ANY);
        }
        if (route == null && method.equals(HttpMethod.OPTIONS) && isPreflight(exchange, methods)) {
            exchange.preflight(String.join(", ", methods.keySet()));
            return;
        }
        if (route == null) {
            String allowed = String.join(", ", methods.keySet());
            exchange.response().putHeader(HttpHeaders.ALLOW, allowed);
            throw ProblemException.of(405, "method_not_allowed", "this path supports " + allowed);
        }
        access.check(exchange, route.need);
        route.endpoint.accept(exchange);
    }

    private boolean isPreflight(Exchange exchange, Map<String, Route> methods) {
        return methods.values().stream().allMatch(route -> access.isPreflight(exchange, route.need));
    }

    private @Nullable RouteMatch find(String path) {
        String[] parts = path.split("/", -1);
        for (Pattern pattern : open) {
            List<String> parameters = match(pattern.parts, parts);
            if (parameters != null) {
                return new RouteMatch(pattern.methods, parameters);
            }
        }
        return null;
    }

    private static @Nullable List<String> match(List<String> pattern, String[] parts) {
        if (pattern.size() != parts.length) {
            return null;
        }
        List<String> parameters = new ArrayList<>();
        for (int i = 0; i < parts.length; i++) {
            if (pattern.get(i).startsWith("{")) {
                parameters.add(decode(parts[i]));
            } else if (!pattern.get(i).equals(parts[i])) {
                return null;
            }
        }
        return parameters;
    }

    /** In a path, unlike in a form, a plus sign is literal. */
    private static String decode(String part) {
        String text = StrictUtf8.ofAddress(part);
        if (text == null) {
            throw ProblemException.badRequest(
                    "the path must be UTF-8 with each byte that is not ASCII as '%' and two" + " hexadecimal digits");
        }
        return text;
    }
}
