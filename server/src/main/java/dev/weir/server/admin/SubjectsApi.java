package dev.weir.server.admin;

import dev.weir.engine.LimitResult;
import dev.weir.engine.PenaltyState;
import dev.weir.engine.Weir;
import dev.weir.engine.config.ClassifyRule;
import dev.weir.engine.config.LimitRule;
import dev.weir.engine.config.PenaltyRule;
import dev.weir.engine.http.HttpDecision;
import dev.weir.engine.json.Json;
import dev.weir.server.dashboard.SeenSubjects;
import dev.weir.server.http.Exchange;
import dev.weir.server.http.ProblemException;
import dev.weir.server.http.RouteAccess;
import dev.weir.server.http.Router;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** HTTP routes for the state of subjects: their violations and their budgets. */
public final class SubjectsApi {
    private static final List<String> CHANNELS = List.of("http", "ws", "grpc");
    private static final int MOST_COMBINATIONS = 32;
    private static final int MOST_LISTED = 1000;

    private final Weir weir;
    private final SeenSubjects seenSubjects;

    public SubjectsApi(Weir weir, SeenSubjects seenSubjects) {
        this.weir = weir;
        this.seenSubjects = seenSubjects;
    }

    public void register(Router router) {
        router.add(RouteAccess.READ, "GET", "/v1/subjects", this::list)
                .add(RouteAccess.READ, "GET", "/v1/subjects/{attribute}/{value}", this::one)
                .add(RouteAccess.READ, "GET", "/v1/subjects/{attribute}/{value}/history", this::history);
    }

    private void one(Exchange exchange) {
        String attribute = exchange.parameter(0);
        String value = exchange.parameter(1);
        penaltyState(
                exchange,
                attribute,
                value,
                penaltyState -> buckets(exchange, attribute, value, buckets -> {
                    Json json = Json.newObject(512);
                    members(json, attribute, value, penaltyState);
                    json.name("buckets").open('[');
                    buckets.forEach(bucket -> bucket.write(json));
                    exchange.json(200, json.close(']').close('}'));
                }));
    }

    /** The requests of a subject over the last hour, and its latest decisions, as this node has seen them. */
    private void history(Exchange exchange) {
        String attribute = exchange.parameter(0);
        String value = exchange.parameter(1);
        exchange.blocking(
                () -> {
                    Json json =
                            Json.newObject(4096).field("attribute", attribute).field("value", value);
                    seenSubjects.writeHistory(attribute, value, json, System.currentTimeMillis() / 1000);
                    return json.close('}');
                },
                json -> exchange.json(200, json));
    }

    /**
     * Lists the throttled subjects: those that this node has refused lately, with their current state from the store.
     */
    private void list(Exchange exchange) {
        String throttled = exchange.request().getParam("throttled");
        if (throttled != null && !throttled.equals("true")) {
            throw ProblemException.badField("throttled", "throttled must be true");
        }
        String attribute = penalized();
        if (attribute == null) {
            exchange.json(
                    200,
                    Json.newObject(32).name("subjects").open('[').close(']').close('}'));
            return;
        }
        PenaltyRule penalty = weir.configuration().penalty();
        Duration since = penalty == null ? Duration.ZERO : penalty.resetAfter();
        List<String> values = seenSubjects.refusedSince(
                attribute, Instant.now().minus(since).minusSeconds(1).getEpochSecond());
        Json json = Json.newObject(1024).name("subjects").open('[');
        exchange.each(
                values.stream().limit(MOST_LISTED).iterator(),
                weir::penaltyStateAsync,
                (value, penaltyState) -> {
                    if (penaltyState.throttled()) {
                        json.open('{');
                        members(json, attribute, value, penaltyState);
                        json.close('}');
                    }
                },
                () -> exchange.json(200, json.close(']').close('}')));
    }

    private void members(Json json, String attribute, String value, PenaltyState penaltyState) {
        json.field("attribute", attribute)
                .field("value", value)
                .field("throttled", penaltyState.throttled())
                .field("consecutive_violations", penaltyState.consecutiveViolations())
                .field("violations", seenSubjects.refusals(attribute, value))
                .name("throttled_until");
        if (penaltyState.throttled()) {
            json.value(HttpDecision.unixSeconds(System.currentTimeMillis(), penaltyState.clearsAfter()));
        } else {
            json.nothing();
        }
        seenSubjects.writeDeniedBy(attribute, value, json);
    }

    /** Subjects without a penalty have the default penalty state. */
    private void penaltyState(Exchange exchange, String attribute, String value, Consumer<PenaltyState> then) {
        if (attribute.equals(penalized())) {
            exchange.whenDone(weir.penaltyStateAsync(value), then);
        } else {
            then.accept(new PenaltyState(0, Duration.ZERO));
        }
    }

    /** Returns the attribute that alone identifies penalized subjects; null if there is none. */
    private @Nullable String penalized() {
        PenaltyRule penalty = weir.configuration().penalty();
        return penalty == null ? null : penalty.soleAttribute();
    }

    private record Bucket(LimitResult limit, Map<String, String> key) {
        void write(Json json) {
            json.open('{')
                    .field("name", limit.name())
                    .field("key", key)
                    .field("capacity", limit.capacity())
                    .field("remaining", Math.max(0, limit.remaining()))
                    .field("used", Math.max(0, limit.capacity() - limit.remaining()))
                    .field("reset_at", HttpDecision.resetAt(limit, System.currentTimeMillis()))
                    .field("window_secs", HttpDecision.wholeSeconds(limit.window()))
                    .close('}');
        }
    }

    /**
     * Returns the budgets of a subject, for every value that the configuration has for the other parts of their keys.
     */
    private void buckets(Exchange exchange, String attribute, String value, Consumer<List<Bucket>> then) {
        List<Map<String, String>> asked = new ArrayList<>();
        asked.add(Map.of(attribute, value));
        for (String other : otherParts(attribute)) {
            asked = spread(asked, other, known(other));
        }
        collect(exchange, asked, 0, new ArrayList<>(), new LinkedHashSet<>(), then);
    }

    private void collect(
            Exchange exchange,
            List<Map<String, String>> asked,
            int at,
            List<Bucket> found,
            Set<String> seen,
            Consumer<List<Bucket>> then) {
        if (at == asked.size()) {
            then.accept(found);
            return;
        }
        exchange.whenDone(weir.statusAsync(asked.get(at)), limits -> {
            limits.forEach(limit -> {
                Map<String, String> key = new HashMap<>(asked.get(at));
                key.keySet().retainAll(limit.keyedBy());
                if (!key.isEmpty() && seen.add(limit.name() + key)) {
                    found.add(new Bucket(limit, key));
                }
            });
            collect(exchange, asked, at + 1, found, seen, then);
        });
    }

    /** Returns the other attributes in the keys of limits that use this attribute. */
    private Set<String> otherParts(String attribute) {
        Set<String> others = new LinkedHashSet<>();
        for (LimitRule limit : weir.configuration().limits()) {
            if (limit.per().stream().anyMatch(part -> part.contains(attribute))) {
                limit.per().stream().filter(part -> !part.contains(attribute)).forEach(part -> others.add(part.get(0)));
            }
        }
        return others;
    }

    private Set<String> known(String attribute) {
        Set<String> values = new LinkedHashSet<>();
        if (attribute.equals("channel")) {
            values.addAll(CHANNELS);
        }
        for (ClassifyRule rule : weir.configuration().classify()) {
            if (rule.set().equals(attribute)) {
                values.addAll(rule.values().keySet());
                if (rule.otherwise() != null) {
                    values.add(rule.otherwise());
                }
            }
        }
        return values;
    }

    private static List<Map<String, String>> spread(
            List<Map<String, String>> asked, String attribute, Set<String> values) {
        if (values.isEmpty() || asked.size() * values.size() > MOST_COMBINATIONS) {
            return asked;
        }
        List<Map<String, String>> all = new ArrayList<>();
        for (Map<String, String> one : asked) {
            for (String value : values) {
                Map<String, String> more = new HashMap<>(one);
                more.put(attribute, value);
                all.add(more);
            }
        }
        return all;
    }
}
