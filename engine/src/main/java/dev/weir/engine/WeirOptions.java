package dev.weir.engine;

import dev.weir.engine.event.WebhookOptions;
import dev.weir.engine.guard.GuardOptions;
import java.nio.file.Path;
import java.time.Clock;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * How an engine runs, apart from what it decides.
 *
 * @param guard how patient it is with its store
 * @param webhooks how alerts are sent
 * @param clock the wall clock of events
 * @param source how events name this node, a URI reference such as {@code /weir/node-1}
 * @param store in place of the store that the configuration names; null for that one
 * @param data where the memory store's settings are kept; null keeps them as long as the process lives
 * @param followsFile whether a changed configuration file is taken up by itself
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

    /** Keeps counts there, whatever the configuration says, now and when it is read again. */
    public WeirOptions withStore(@Nullable String newStore) {
        return new WeirOptions(guard, webhooks, clock, source, newStore, data, followsFile);
    }

    /** Keeps settings in a directory, which must be this process's own; null for nowhere. */
    public WeirOptions withData(@Nullable Path directory) {
        return new WeirOptions(guard, webhooks, clock, source, store, directory, followsFile);
    }

    /** Takes up a changed file only when told to. */
    public WeirOptions withoutFollowing() {
        return new WeirOptions(guard, webhooks, clock, source, store, data, false);
    }
}
