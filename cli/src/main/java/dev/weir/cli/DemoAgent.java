package dev.weir.cli;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** A synthetic agent that sends a check over HTTP before each action, at its own rate. */
final class DemoAgent {
    private static final HttpClient CLIENT = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(2))
            .build();

    private final String name;
    private final String action;
    private final long everyMillis;
    private final int calls;
    private final LongAdder admitted = new LongAdder();
    private final LongAdder refused = new LongAdder();

    private DemoAgent(String name, String action, long everyMillis, int calls) {
        this.name = name;
        this.action = action;
        this.everyMillis = everyMillis;
        this.calls = calls;
    }

    /** Returns one agent of each kind of behavior. */
    static List<DemoAgent> all() {
        return List.of(
                new DemoAgent("patient", "task_submit", 12_000, 1),
                new DemoAgent("steady", "message", 1_500, 1),
                new DemoAgent("chatty", "ping", 550, 1),
                new DemoAgent("bursty", "message", 20_000, 25),
                new DemoAgent("abusive", "task_submit", 400, 1));
    }

    void live(String server, ScheduledExecutorService clock) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(server + "/v1/check"))
                .timeout(Duration.ofSeconds(2))
                .POST(BodyPublishers.ofString("{\"attributes\":{\"agent\":\"" + name + "\",\"action\":\"" + action
                        + "\",\"channel\":\"http\"}}"))
                .build();
        ScheduledFuture<?> unused =
                clock.scheduleAtFixedRate(() -> act(request), everyMillis / 10, everyMillis, TimeUnit.MILLISECONDS);
    }

    private void act(HttpRequest request) {
        for (int i = 0; i < calls; i++) {
            // No thread waits: an agent without a response continues.
            CompletableFuture<Void> unused = CLIENT.sendAsync(request, BodyHandlers.discarding())
                    .thenAccept(response -> {
                        if (response.statusCode() == 200) {
                            admitted.increment();
                        } else {
                            refused.increment();
                        }
                    });
        }
    }

    String name() {
        return name;
    }

    String action() {
        return action;
    }

    long admitted() {
        return admitted.sum();
    }

    long refused() {
        return refused.sum();
    }

    String line() {
        return String.format(
                Locale.ROOT, "%-8s %-12s allowed %,6d  denied %,6d", name, action, admitted.sum(), refused.sum());
    }
}
