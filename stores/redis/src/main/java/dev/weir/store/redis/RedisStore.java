package dev.weir.store.redis;

import dev.weir.StoreException;
import dev.weir.store.scripted.KeyNames;
import dev.weir.store.scripted.ScriptClock;
import dev.weir.store.scripted.ScriptedStore;

/**
 * The store in Redis or Valkey: many processes share one limit.
 *
 * <p><b>Guarantee.</b> Never one admission over a policy, however many processes ask: one script decides all charges of a
 * request, by Redis's own clock, in one round trip. In Redis Cluster that holds for the keys of one holder; a request over
 * several slots takes one step for each, the outermost limit's first, and gives back what it spent if one refuses.
 *
 * <p><b>Failure.</b> Without an answer in time, or without a connection, a call fails at once and is not repeated; it may
 * have been made all the same, which spends but never admits. What a failover, an eviction or a step of Redis's clock can
 * do to a count is told in {@code docs/redis.md}.
 *
 * <p><b>Cost.</b> Questions that come while a call is in flight travel together in the next. A refusal writes nothing.
 */
public final class RedisStore extends ScriptedStore {
    private final RedisLink link;

    RedisStore(RedisLink link, RedisStoreOptions options, ScriptClock clock) {
        super(link, options.prefix(), clock);
        this.link = link;
    }

    /**
     * Connects, and makes ready for the first decision.
     *
     * @throws StoreException if Redis cannot be reached
     */
    public static RedisStore open(RedisStoreOptions options) {
        RedisStore store = new RedisStore(RedisLink.open(options), options, ScriptClock.running());
        store.goTheWayOnce();
        EvictionWarning.warn(store.link);
        return store;
    }

    /** The connection, for what else is kept beside the budgets. */
    RedisLink link() {
        return link;
    }

    @Override
    protected KeyNames names() {
        return super.names();
    }
}
