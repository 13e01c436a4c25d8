package dev.weir.server.dashboard;

import dev.weir.engine.Reason;
import dev.weir.engine.Weir;
import dev.weir.engine.event.Event;
import dev.weir.engine.event.EventListener;
import dev.weir.engine.event.Subscription;
import dev.weir.engine.json.Json;
import dev.weir.server.ServerLimits;
import dev.weir.server.http.Connections;
import dev.weir.server.http.Exchange;
import dev.weir.server.http.ProblemException;
import dev.weir.server.http.RouteAccess;
import dev.weir.server.http.Router;
import dev.weir.server.http.ServerState;
import io.vertx.core.Context;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerResponse;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Server-sent events: one for each decision that fits the client's filter, and once a second how many were left off.
 *
 * <p>A client gets at most {@value #MOST_PER_SECOND} decisions a second. Above that it gets one in so many, and is told.
 * Decisions about exempt requests, and those that no limit applies to, are not events of the engine and do not appear.
 * The stream subscribes to the engine only while a client follows.
 */
public final class TailStream implements EventListener, AutoCloseable {
    private static final int BUFFER = 4096;
    private static final long SECOND_MILLIS = 1000;
    private static final int MOST_PER_SECOND = 200;
    private static final String LIMIT = "limit";
    private static final String REASON = "reason";
    private static final List<String> REASONS =
            Stream.of(Reason.values()).map(Reason::text).toList();

    private final ServerState node;
    private final Weir weir;
    private final long mostUnread;
    private final Set<Follower> followers = ConcurrentHashMap.newKeySet();
    /** Subscription to the engine; null if no client follows. Guarded by this. */
    private @Nullable Subscription subscription;

    public TailStream(ServerState node, ServerLimits limits) {
        this.node = node;
        this.weir = node.weir;
        this.mostUnread = limits.idleTime().toMillis() / SECOND_MILLIS;
    }

    public void register(Router router) {
        router.add(RouteAccess.READ, "GET", "/v1/tail", this::follow);
    }

    @Override
    public void on(Event event) {
        DecisionJson decision = DecisionJson.of(event);
        if (decision == null) {
            return;
        }
        String text = null;
        for (Follower follower : followers) {
            if (follower.filter.fits(decision)) {
                text = text == null ? text(decision) : text;
                String data = text;
                follower.loop.runOnContext(hop -> follower.offer(data));
            }
        }
    }

    @Override
    public boolean wantsAllowed() {
        return true;
    }

    @Override
    public void close() {
        followers.forEach(follower -> follower.loop.runOnContext(hop -> follower.response.end()));
    }

    private static String text(DecisionJson decision) {
        Json json = Json.newObject(256);
        decision.write(json);
        return "event: decision\ndata: " + json.close('}') + "\n\n";
    }

    /** Which decisions a client follows: those with this limit, this reason and these attributes; null for any. */
    private record Filter(@Nullable String limit, @Nullable String reason, Map<String, String> attributes) {
        static Filter of(MultiMap parameters) {
            String reason = parameters.get(REASON);
            if (reason != null && !REASONS.contains(reason)) {
                throw ProblemException.badField(
                        REASON, "there is no such reason; choose one of " + String.join(", ", REASONS));
            }
            Map<String, String> attributes = new HashMap<>();
            parameters.forEach(parameter -> attributes.put(parameter.getKey(), parameter.getValue()));
            attributes.remove(LIMIT);
            attributes.remove(REASON);
            return new Filter(parameters.get(LIMIT), reason, attributes);
        }

        boolean fits(DecisionJson decision) {
            return (limit == null || limit.equals(decision.limit()))
                    && (reason == null || reason.equals(decision.reason()))
                    && decision.attributes().entrySet().containsAll(attributes.entrySet());
        }
    }

    private void follow(Exchange exchange) {
        if (exchange.isHead()) {
            exchange.text(EventStream.TYPE, new byte[0]);
            return;
        }
        Follower follower = new Follower(exchange, Filter.of(exchange.request().params()));
        exchange.follow(EventStream.TYPE, () -> leave(follower));
        follower.timer = node.vertx.setPeriodic(SECOND_MILLIS, tick -> follower.second());
        join(follower);
        follower.second();
    }

    private synchronized void join(Follower follower) {
        followers.add(follower);
        if (subscription == null) {
            subscription = weir.events().subscribe("tail", BUFFER, this);
        }
    }

    private synchronized void leave(Follower follower) {
        node.vertx.cancelTimer(follower.timer);
        followers.remove(follower);
        if (followers.isEmpty() && subscription != null) {
            subscription.close();
            subscription = null;
        }
    }

    /** A connected client; belongs to its event loop. */
    private final class Follower {
        private final HttpServerResponse response;
        private final Context loop = node.vertx.getOrCreateContext();
        private final Connections.Watched connection;
        private final Filter filter;
        private long timer;
        /** Of this second: the decisions that fit, and those that were sent. */
        private long fitting;

        private long sent;
        /** One in so many is sent, by the number of the last second. */
        private long oneIn = 1;
        /** How many times in a row the write queue was full. */
        private int unread;

        Follower(Exchange exchange, Filter filter) {
            this.response = exchange.response();
            this.connection = exchange.connection();
            this.filter = filter;
        }

        void offer(String text) {
            boolean isChosen = fitting++ % oneIn == 0 && sent < MOST_PER_SECOND;
            if (isChosen && !response.closed() && !response.ended() && !response.writeQueueFull()) {
                sent++;
                response.write(text);
            }
        }

        /** Sends what the last second had. A client whose write queue stays full for too long is disconnected. */
        void second() {
            if (response.closed() || response.ended()) {
                return;
            }
            unread = response.writeQueueFull() ? unread + 1 : 0;
            if (unread > mostUnread) {
                connection.cut();
                return;
            }
            if (unread == 0) {
                Json json = Json.newObject(64)
                        .field("decisions", fitting)
                        .field("sent", sent)
                        .field("sampled", sent < fitting);
                response.write("event: second\ndata: " + json.close('}') + "\n\n");
            }
            oneIn = Math.max(1, (fitting + MOST_PER_SECOND - 1) / MOST_PER_SECOND);
            fitting = 0;
            sent = 0;
        }
    }
}
