package dev.weir.server.dashboard;

import dev.weir.engine.Weir;
import dev.weir.engine.config.Configuration;
import dev.weir.engine.config.LimitRule;
import dev.weir.engine.event.Event;
import dev.weir.engine.event.EventListener;
import dev.weir.engine.event.Subscription;
import dev.weir.engine.json.Json;
import dev.weir.server.ServerLimits;
import dev.weir.server.WeirServer;
import dev.weir.server.admin.ConfigurationJson;
import dev.weir.server.http.Connections;
import dev.weir.server.http.Exchange;
import dev.weir.server.http.RouteAccess;
import dev.weir.server.http.Router;
import dev.weir.server.http.ServerState;
import dev.weir.spi.settings.SettingsSnapshot;
import io.vertx.core.Context;
import io.vertx.core.http.HttpServerResponse;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Event stream of the dashboard. It sends changes once a second instead of every refusal, so a browser's load does not
 * grow with the number of requests.
 *
 * <p>One background thread collects the numbers once a second. Only while a client follows does it query the store
 * about subjects, and receive an event for every allowed request. A client that reads too slowly gets no updates until
 * its buffer has drained; then it gets all changes since its last update.
 */
public final class DashboardStream implements EventListener, AutoCloseable {
    /*
     * Implementation notes.
     *
     * Threads: the single thread of `clock` runs tick(). It samples the counts, evicts old subjects, queries the store
     * and prepares the text for each follower. All fields of a Follower and `tick` belong to this thread. Only the
     * write itself runs on the follower's event loop. Events arrive on other threads; they change the seen subjects and
     * the recent events, which have their own locks.
     *
     * Subscriptions: `subscription` receives refusals and warnings and always exists. `passed` receives allowed
     * requests, which are many. It exists while a client follows, and otherwise for one second in GLANCE_EVERY, which
     * is enough to know the active subjects. It is guarded by this.
     *
     * Increments: each change of a subject stores the current tick number in the subject. A follower remembers the
     * tick, the event number, the configuration and the settings of its last update, and gets what is newer. Skipping
     * an update is therefore safe: the next one has its changes as well. The first update adds the history.
     *
     * Slow clients: a follower whose write queue is full gets nothing at that tick. After more than `mostUnread` such
     * ticks in a row (the idle time of connections) its connection is closed. So a client holds at most one update
     * beyond its queue.
     *
     * Failures: an exception would cancel the schedule, so guarded() logs it and the next tick tries again.
     */
    private static final Logger LOG = System.getLogger(WeirServer.class.getName());
    private static final int WAITING = 16_384;
    private static final int MOST_IN_ONE_EVENT = 500;
    public static final long TICK_MILLIS = 1000;
    /**
     * Without followers, allowed requests are observed for one second in this many: enough to know the active subjects.
     */
    private static final int GLANCE_EVERY = 10;

    /** Ticks between two writes of the history: what a crash loses at most. */
    private static final int SAVE_EVERY = 60;

    private final ServerState node;
    private final Weir weir;
    private final long mostUnread;
    private final SeenSubjects seenSubjects;
    private final RecentEvents recentEvents;
    private final Incidents incidents = new Incidents();
    private final TimeSeries series = new TimeSeries();
    private final Latencies latencies;
    /** Null if the history is kept in memory only. */
    private final @Nullable HistoryFile file;

    private final Overview overview;
    private final SeenSubjectsRefresh refresh;
    private final Subscription subscription;
    private final Set<Follower> followers = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "weir-dashboard");
        thread.setDaemon(true);
        return thread;
    });
    /** Subscription to allowed requests; null if none. Guarded by this. */
    private @Nullable Subscription passed;
    /** Number of the current tick. Only the clock's thread uses it. */
    private long tick;

    /** @param directory the directory for the history; null keeps it in memory */
    public DashboardStream(ServerState node, ServerLimits limits, @Nullable Path directory) {
        this.node = node;
        this.weir = node.weir;
        this.latencies = new Latencies(weir);
        this.file = directory == null ? null : new HistoryFile(directory);
        this.mostUnread = limits.idleTime().toMillis() / TICK_MILLIS;
        this.seenSubjects = new SeenSubjects(weir);
        this.recentEvents = new RecentEvents(seenSubjects);
        this.overview = new Overview(weir, seenSubjects, recentEvents, node.identity, series);
        this.refresh = new SeenSubjectsRefresh(weir, seenSubjects);
        restore();
        this.subscription = weir.events().subscribe("dashboard", WAITING, this);
        ScheduledFuture<?> unused = clock.scheduleAtFixedRate(this::tick, 0, TICK_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Continues what was saved, unless it is from a time that is still to come by this machine's clock. */
    private void restore() {
        SavedHistory saved = file == null ? null : file.read();
        long second = second();
        if (saved != null && saved.series.values().stream().allMatch(counts -> counts.latestAt() <= second)) {
            series.restore(saved);
            overview.restore(saved);
            recentEvents.restore(saved, System.currentTimeMillis());
        }
    }

    private void save() {
        if (file != null) {
            SavedHistory history = new SavedHistory(series.recordedSince());
            series.save(history);
            overview.save(history);
            recentEvents.save(history);
            file.write(history);
        }
    }

    public Latencies latencies() {
        return latencies;
    }

    public Incidents incidents() {
        return incidents;
    }

    public SeenSubjects seenSubjects() {
        return seenSubjects;
    }

    public void register(Router router) {
        router.add(RouteAccess.READ, "GET", "/v1/overview", this::overview);
        new SeriesApi(series).register(router);
    }

    @Override
    public void on(Event event) {
        seenSubjects.on(event);
        recentEvents.on(event);
        incidents.on(event);
    }

    @Override
    public boolean wantsAllowed() {
        return false;
    }

    /** Ends all streams. */
    public void end() {
        followers.forEach(follower -> follower.loop.runOnContext(hop -> follower.response.end()));
    }

    @Override
    public void close() {
        clock.shutdownNow();
        subscription.close();
        unsubscribe();
        guarded(() -> {
            sample(second());
            save();
        });
    }

    private void sample(long second) {
        overview.sample(second);
        series.sample(second, weir.counts(), configuredLimits(), latencies);
    }

    private Set<String> configuredLimits() {
        return weir.configuration().limits().stream().map(LimitRule::name).collect(Collectors.toSet());
    }

    private void overview(Exchange exchange) {
        exchange.blocking(
                () -> {
                    Json json = Json.newObject(32_768).name("overview").open('{');
                    overview.write(json, second());
                    json.close('}').name("rules").open('{');
                    ConfigurationJson.write(json, weir.configuration(), weir.settings());
                    json.close('}').name("history").open('{');
                    overview.writeHistory(json);
                    json.close('}').name("notable").open('[');
                    recentEvents.writeAfter(0, json);
                    json.close(']');
                    overview.writeDeniedBy(json);
                    overview.writeNeverApplied(json);
                    return json.close('}');
                },
                json -> exchange.json(200, json));
    }

    /** Adds the client of this request as a follower. */
    void follow(Exchange exchange) {
        Follower follower = new Follower(exchange);
        exchange.follow(EventStream.TYPE, () -> {
            followers.remove(follower);
            unsubscribe();
        });
        follower.response.write("retry: 1000\n\n");
        // Added first: unsubscribe() closes the subscription while there is no follower.
        followers.add(follower);
        subscribe();
        clock.execute(() -> guarded(() -> {
            refresh.run(second(), tick);
            follower.push();
        }));
    }

    private synchronized void subscribe() {
        if (passed == null) {
            passed = weir.events().subscribe("dashboard-passed", WAITING, seenSubjects.allowed());
        }
    }

    private synchronized void unsubscribe() {
        if (passed != null && followers.isEmpty()) {
            passed.close();
            passed = null;
        }
    }

    private synchronized boolean isObserving() {
        return passed != null;
    }

    private void tick() {
        guarded(() -> {
            long second = second();
            sample(second);
            incidents.refresh(weir.alerts());
            if (isObserving()) {
                seenSubjects.observed(second);
            }
            seenSubjects.forgetBefore(second - SeenSubjects.KEPT_SECONDS);
            tick++;
            if (followers.isEmpty()) {
                collectChanges();
            } else {
                refresh.run(second, tick);
                followers.forEach(Follower::push);
            }
            if (tick % SAVE_EVERY == 0) {
                save();
            }
        });
    }

    private void collectChanges() {
        if (tick % GLANCE_EVERY == 1) {
            subscribe();
        } else {
            unsubscribe();
        }
    }

    /** Logs exceptions, which would otherwise cancel the schedule. */
    private void guarded(Runnable work) {
        try {
            work.run();
        } catch (RuntimeException e) {
            if (clock.isShutdown()) {
                return; // The engine has been closed.
            }
            LOG.log(Level.WARNING, "the dashboard's numbers could not be updated", e);
        }
    }

    private static long second() {
        return System.currentTimeMillis() / 1000;
    }

    /** A connected dashboard. Its fields belong to the clock's thread; writes happen on its event loop. */
    private final class Follower {
        private final HttpServerResponse response;
        private final Context loop = node.vertx.getOrCreateContext();
        private final Connections.Watched connection;
        /** How many times in a row the write queue was full. */
        private int unread;

        private @Nullable Configuration toldConfiguration;
        private @Nullable SettingsSnapshot toldSettings;
        private long toldNumber;
        private long toldIncidents;
        private long toldTick = -1;
        private boolean isGreeted;

        Follower(Exchange exchange) {
            this.response = exchange.response();
            this.connection = exchange.connection();
        }

        /**
         * Sends the changes since the last update. Skips a follower with a full write queue, and closes it if that
         * lasts too long.
         */
        void push() {
            if (response.closed() || response.ended()) {
                return;
            }
            unread = response.writeQueueFull() ? unread + 1 : 0;
            if (unread > mostUnread) {
                loop.runOnContext(hop -> connection.cut());
            }
            if (unread > 0) {
                return;
            }
            StringBuilder text = new StringBuilder();
            sendFirst(text);
            rules(text);
            Json now = Json.newObject(4096);
            overview.write(now, second());
            overview.writeNeverApplied(now);
            event(text, "overview", now.close('}'));
            notable(text);
            incidents(text);
            subjects(text);
            String whole = text.toString();
            loop.runOnContext(hop -> {
                if (!response.closed() && !response.ended()) {
                    response.write(whole);
                }
            });
        }

        private void sendFirst(StringBuilder text) {
            if (!isGreeted) {
                isGreeted = true;
                Json json = Json.newObject(8192)
                        .field("most_subjects", SeenSubjects.MOST)
                        .field("kept_secs", SeenSubjects.KEPT_SECONDS);
                overview.writeHistory(json);
                event(text, "history", json.close('}'));
            }
        }

        private void rules(StringBuilder text) {
            Configuration configuration = weir.configuration();
            SettingsSnapshot settings = weir.settings();
            if (!configuration.equals(toldConfiguration) || !settings.equals(toldSettings)) {
                toldConfiguration = configuration;
                toldSettings = settings;
                Json json = Json.newObject(4096);
                ConfigurationJson.write(json, configuration, settings);
                event(text, "rules", json.close('}'));
            }
        }

        private void notable(StringBuilder text) {
            long last = recentEvents.lastNumber();
            if (last > toldNumber) {
                Json json = Json.newObject(1024).name("entries").open('[');
                recentEvents.writeAfter(toldNumber, json);
                toldNumber = last;
                event(text, "notable", json.close(']').close('}'));
            }
        }

        private void incidents(StringBuilder text) {
            long version = incidents.version();
            if (version > toldIncidents) {
                Json json = Json.newObject(1024).name("incidents").open('[');
                incidents.writeAfter(toldIncidents, json);
                toldIncidents = version;
                event(text, "incidents", json.close(']').close('}'));
            }
        }

        /**
         * Appends the subjects changed since the last update, in events small enough for a browser to process between
         * two frames.
         */
        private void subjects(StringBuilder text) {
            long second = second();
            long now = tick;
            synchronized (seenSubjects) {
                List<SeenSubject> news = new ArrayList<>();
                seenSubjects.forEach(member -> {
                    if (member.shown && member.changedTick > toldTick) {
                        news.add(member);
                    }
                });
                news.sort(Comparator.comparingLong(member -> -member.seenAt));
                for (int from = 0; from < news.size(); from += MOST_IN_ONE_EVENT) {
                    Json json = Json.newObject(16_384).name("subjects").open('[');
                    for (SeenSubject member : news.subList(from, Math.min(news.size(), from + MOST_IN_ONE_EVENT))) {
                        member.write(json, member.namedTick > toldTick, second);
                    }
                    event(text, "subjects", json.close(']').close('}'));
                }
            }
            toldTick = now;
        }

        private static void event(StringBuilder text, String name, Json json) {
            text.append("event: ").append(name).append("\ndata: ").append(json).append("\n\n");
        }
    }
}
