package dev.weir.example.hub;

import dev.weir.Answer;
import dev.weir.RateLimiter;
import dev.weir.SlidingWindow;
import dev.weir.Store;
import dev.weir.TokenBucket;
import dev.weir.engine.Outcome;
import dev.weir.engine.Request;
import dev.weir.engine.Standing;
import dev.weir.engine.Weir;
import dev.weir.engine.config.ConfigurationReader;
import dev.weir.memory.MemoryStore;
import io.vertx.core.MultiMap;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Where the hub asks Weir: who wants to do what becomes attributes, and the limits of the {@code agent-hub} preset do the
 * rest. Nothing else in the hub knows a limit.
 */
final class Gate implements AutoCloseable {
    private static final int MOST_MALFORMED = 10;
    private static final int MOST_CONTROL = 120;
    private static final Duration MALFORMED_WINDOW = Duration.ofMinutes(1);

    private final Weir weir;
    /** In this process, whatever store the limits have: a connection lives here and nowhere else. */
    private final Store local;

    private final RateLimiter malformed;
    private final RateLimiter control;

    Gate(Weir weir, Store local) {
        this.weir = weir;
        this.local = local;
        // Nine fit into a minute; the tenth does not.
        this.malformed = RateLimiter.on(local, "malformed", SlidingWindow.of(MOST_MALFORMED - 1, MALFORMED_WINDOW));
        this.control = RateLimiter.on(local, "control", TokenBucket.perMinute(MOST_CONTROL));
    }

    /** By a configuration of one's own, which is followed when it changes, or by the preset. */
    static Gate open(@Nullable Path file) {
        Weir weir = file == null
                ? Weir.inMemory(new ConfigurationReader().preset("agent-hub").orThrow())
                : Weir.load(file);
        return new Gate(weir, MemoryStore.create());
    }

    /** May this agent, which has identified itself, send a message of this type? */
    Answer<Outcome> message(String agent, String type) {
        return weir.checkAsync(Request.of(Map.of("agent", agent, "channel", "ws", "action", type)));
    }

    /**
     * May this HTTP call be made? Without an agent it counts for its address.
     *
     * @param action null if the path leads nowhere
     */
    Answer<Outcome> call(@Nullable String agent, String ip, String path, @Nullable String action) {
        Map<String, String> attributes = new HashMap<>(Map.of("channel", "http", "ip", ip, "path", path));
        if (agent != null) {
            attributes.put("agent", agent);
        }
        if (action != null) {
            attributes.put("action", action);
        }
        return weir.checkAsync(Request.of(attributes));
    }

    /** Counts a malformed frame; false at the tenth of a connection within a minute. Not a rate violation. */
    boolean toleratesMalformed(String connection) {
        return malformed.tryConsume(connection);
    }

    /** Counts a ping or pong of the WebSocket protocol; false if there are more than a heartbeat needs. */
    boolean toleratesControl(String connection) {
        return control.tryConsume(connection);
    }

    void forget(String connection) {
        malformed.reset(connection);
        control.reset(connection);
    }

    /** Those that may be given new work. May wait for a store that is elsewhere. */
    <T> List<T> withoutThrottled(List<T> candidates, Function<T, String> agent) {
        return weir.withoutThrottled(candidates, agent);
    }

    Answer<Standing> standing(String agent) {
        return weir.standingAsync(agent);
    }

    /** Whether no limit counts this agent: such a name must not be free for the taking. */
    boolean isExempt(String agent) {
        return weir.configuration().exempt().getOrDefault("agent", Set.of()).contains(agent)
                || weir.settings().exempt().getOrDefault("agent", Set.of()).contains(agent);
    }

    /** Who is at the other end: a client's own word counts only if a trusted proxy passes it on. */
    String address(String peer, MultiMap headers) {
        return weir.clients().of(peer, headers.getAll("Forwarded"), headers.getAll("X-Forwarded-For"));
    }

    Weir weir() {
        return weir;
    }

    @Override
    public void close() {
        weir.close();
        local.close();
    }
}
