package dev.weir.server.dashboard;

import dev.weir.engine.Counts;
import dev.weir.engine.Weir;
import dev.weir.engine.event.CloudEvent;
import dev.weir.engine.event.Event;
import dev.weir.engine.event.EventListener;
import dev.weir.engine.event.Subscription;
import dev.weir.engine.json.Json;
import dev.weir.server.ServerLimits;
import dev.weir.server.http.Connections;
import dev.weir.server.http.Exchange;
import dev.weir.server.http.RouteAccess;
import dev.weir.server.http.Router;
import dev.weir.server.http.ServerState;
import io.vertx.core.Context;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Server-sent events: engine events as CloudEvents, and once a second the totals ({@code event: stats}).
 *
 * <p>The stream subscribes to the engine only while a client follows. A client that reads too slowly misses events. It
 * gets the number of missed events with the totals, and does not delay other clients.
 */
public final class EventStream implements EventListener, AutoCloseable {
    private static final int BUFFER = 4096;
    private static final long STATS_MILLIS = 1000;
    static final CharSequence TYPE = HttpHeaders.createOptimized("text/event-stream; charset=utf-8");

    private final ServerState node;
    private final Weir weir;
    private final long mostUnread;
    private final DashboardStream dashboard;
    private final Set<Follower> followers = ConcurrentHashMap.newKeySet();
    /** Subscription to the engine; null if no client follows. Guarded by this. */
    private @Nullable Subscription subscription;

    public EventStream(ServerState node, ServerLimits limits, DashboardStream dashboard) {
        this.node = node;
        this.weir = node.weir;
        this.mostUnread = limits.idleTime().toMillis() / STATS_MILLIS;
        this.dashboard = dashboard;
    }

    public void register(Router router) {
        router.add(RouteAccess.READ, "GET", "/v1/events", this::follow);
    }

    /** Encodes the event once for all followers. */
    @Override
    public void on(Event event) {
        CloudEvent encoded = CloudEvent.of(event, "/weir");
        String text = "id: " + encoded.id() + "\nevent: " + encoded.type() + "\ndata: " + encoded.json() + "\n\n";
        followers.forEach(follower -> follower.loop.runOnContext(hop -> follower.send(text)));
    }

    @Override
    public boolean wantsAllowed() {
        return false;
    }

    @Override
    public void close() {
        followers.forEach(follower -> follower.loop.runOnContext(hop -> follower.response.end()));
    }

    private void follow(Exchange exchange) {
        if (exchange.isHead()) {
            exchange.text(TYPE, new byte[0]);
            return;
        }
        if ("dashboard".equals(exchange.request().getParam("view"))) {
            dashboard.follow(exchange);
            return;
        }
        Follower follower = new Follower(exchange);
        exchange.follow(TYPE, () -> leave(follower));
        follower.timer = node.vertx.setPeriodic(STATS_MILLIS, tick -> follower.stats());
        join(follower);
        follower.stats();
    }

    private synchronized void join(Follower follower) {
        followers.add(follower);
        if (subscription == null) {
            subscription = weir.events().subscribe("stream", BUFFER, this);
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
        private long timer;
        private long missed;
        /** How many times in a row the totals could not be sent. */
        private int unread;

        Follower(Exchange exchange) {
            this.response = exchange.response();
            this.connection = exchange.connection();
        }

        void send(String text) {
            if (response.closed() || response.ended()) {
                return;
            }
            if (response.writeQueueFull()) {
                missed++;
            } else {
                response.write(text);
            }
        }

        /** Sends the totals. A client whose write queue stays full for too long is disconnected. */
        void stats() {
            unread = response.writeQueueFull() ? unread + 1 : 0;
            if (unread > mostUnread) {
                connection.cut();
                return;
            }
            Counts counts = weir.counts();
            Json json = Json.newObject(256)
                    .field("allowed", counts.allowed())
                    .field("untouched", counts.untouched())
                    .field("denied", counts.denied())
                    .field("limited", counts.limited())
                    .field("impossible", counts.impossible())
                    .field("penalized", counts.penalized())
                    .field("unavailable", counts.unavailableDenied())
                    .field("unavailable_allowed", counts.unavailableAllowed())
                    .field("store_available", !weir.store().isCircuitOpen())
                    .field("missed", missed);
            send("event: stats\ndata: " + json.close('}') + "\n\n");
        }
    }
}
