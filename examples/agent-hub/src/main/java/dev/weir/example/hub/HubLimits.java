package dev.weir.example.hub;

import dev.weir.Answer;
import dev.weir.RateLimiter;
import dev.weir.SlidingWindow;
import dev.weir.Store;
import dev.weir.TokenBucket;
import dev.weir.engine.Outcome;
import dev.weir.engine.PenaltyState;
import dev.weir.engine.Request;
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
 * The hub's calls of Weir. It converts an agent and its action to attributes; the limits of the {@code agent-hub}
 * preset do the rest. No other class of the hub knows a limit.
 */
final class HubLimits implements AutoCloseable {
    private static final int MOST_MALFORMED = 10;
    private static final int MOST_CONTROL = 120;
    private static final Duration MALFORMED_WINDOW = Duration.ofMinutes(1);

    private final Weir weir;
    /** A store in this process, whatever store the limits have: a connection exists in one process only. */
    private final Store local;

    private final RateLimiter malformed;
    private final RateLimiter control;

    HubLimits(Weir weir, Store local) {
        this.weir = weir;
        this.local = local;
        // Nine fit into a minute, so the tenth is refused.
        this.malformed = RateLimiter.on(local, "malformed", SlidingWindow.of(MOST_MALFORMED - 1, MALFORMED_WINDOW));
        this.control = RateLimiter.on(local, "control", TokenBucket.perMinute(MOST_CONTROL));
    }

    /** Opens a given configuration file, which is watched for changes, or the preset. */
    static HubLimits open(@Nullable Path file) {
        Weir weir = file == null
                ? Weir.inMemory(new ConfigurationReader().preset("agent-hub").orThrow())
                : Weir.load(file);
        return new HubLimits(weir, MemoryStore.create());
    }

    /** Checks a message of this type by an identified agent. */
    Answer<Outcome> message(String agent, String type) {
        return weir.checkAsync(Request.of(Map.of("agent", agent, "channel", "ws", "action", type)));
    }

    /**
     * Checks an HTTP request. Without an agent, the address is charged.
     *
     * @param action null if no route matches the path
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

    /** Counts a malformed frame. Returns false at the tenth of a connection within a minute. Not a rate limit. */
    boolean toleratesMalformed(String connection) {
        return malformed.tryConsume(connection);
    }

    /** Counts a ping or pong of the WebSocket protocol. Returns false if there are more than a heartbeat needs. */
    boolean toleratesControl(String connection) {
        return control.tryConsume(connection);
    }

    void forget(String connection) {
        malformed.reset(connection);
        control.reset(connection);
    }

    /** Returns the candidates that may get new work. May block while a remote store is called. */
    <T> List<T> withoutThrottled(List<T> candidates, Function<T, String> agent) {
        return weir.withoutThrottled(candidates, agent);
    }

    Answer<PenaltyState> penaltyState(String agent) {
        return weir.penaltyStateAsync(agent);
    }

    /** Whether the agent is exempt from limits. Such a name must not be open to registration. */
    boolean isExempt(String agent) {
        return weir.configuration().exempt().getOrDefault("agent", Set.of()).contains(agent)
                || weir.settings().exempt().getOrDefault("agent", Set.of()).contains(agent);
    }

    /** Returns the client's address. Forwarding headers count only if a trusted proxy sends them. */
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
