package dev.weir.engine;

import dev.weir.engine.event.WebhookOptions;
import dev.weir.engine.guard.GuardOptions;
import java.nio.file.Path;
import java.time.Clock;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * Options of an engine, apart from its configuration. Immutable.
 *
 * @param guard the deadline and the circuit breaker of the store
 * @param webhooks how alerts are sent
 * @param clock the wall clock of events
 * @param source the name of this node in events, a URI reference such as {@code /weir/node-1}
 * @param store replaces the store that the configuration names; null for none
 * @param data the directory of the memory store's settings; null keeps them in memory
 * @param followsFile whether a changed configuration file is loaded automatically
 */
public record WeirOptions(
        GuardOptions guard,
        WebhookOptions webhooks,
        InstantSource clock,
        String source,
        @Nullable String store,
        @Nullable Path data,
        boolean followsFile) {

    public static WeirOptions defaults() {
        return new WeirOptions(
                GuardOptions.defaults(), WebhookOptions.defaults(), Clock.systemUTC(), "/weir", null, null, true);
    }

    public WeirOptions withGuard(GuardOptions newGuard) {
        return new WeirOptions(newGuard, webhooks, clock, source, store, data, followsFile);
    }

    public WeirOptions withWebhooks(WebhookOptions newWebhooks) {
        return new WeirOptions(guard, newWebhooks, clock, source, store, data, followsFile);
    }

    public WeirOptions withClock(InstantSource newClock) {
        return new WeirOptions(guard, webhooks, newClock, source, store, data, followsFile);
    }

    public WeirOptions withSource(String newSource) {
        return new WeirOptions(guard, webhooks, clock, newSource, store, data, followsFile);
    }

    /** Uses this store instead of the configuration's, also after reloads. */
    public WeirOptions withStore(@Nullable String newStore) {
        return new WeirOptions(guard, webhooks, clock, source, newStore, data, followsFile);
    }

    /** Stores settings in a directory, which must belong to this process alone; null keeps them in memory. */
    public WeirOptions withData(@Nullable Path directory) {
        return new WeirOptions(guard, webhooks, clock, source, store, directory, followsFile);
    }

    /** Loads a changed file only on {@link Weir#reload}. */
    public WeirOptions withoutFollowing() {
        return new WeirOptions(guard, webhooks, clock, source, store, data, false);
    }
}
