package dev.weir.store.redis;

import dev.weir.StoreException;
import dev.weir.store.scripted.KeyNames;
import dev.weir.store.scripted.ScriptClock;
import dev.weir.store.scripted.ScriptedStore;

/**
 * A store in Redis or Valkey, which lets many processes share limits.
 *
 * <p><b>Guarantee.</b> The store never admits more than a policy allows, for any number of processes. One script
 * decides all charges of a request, by Redis's clock, in one round trip. In Redis Cluster that holds for keys of one
 * hash slot. A request over several hash slots takes one call for each, the outermost limit's first, and refunds what
 * it spent if one refuses.
 *
 * <p><b>Failure.</b> A call fails after the timeout, or at once without a connection, and is not repeated. The script
 * may have run all the same; then the call has spent without admitting. {@code docs/redis.md} describes how a failover,
 * an eviction or a step of Redis's clock can affect counts.
 *
 * <p><b>Cost.</b> Requests that arrive while a call is in flight form the next batch. A refusal writes nothing.
 *
 * <p>Safe for use by several threads.
 */
public final class RedisStore extends ScriptedStore {
    private final RedisLink link;

    RedisStore(RedisLink link, RedisStoreOptions options, ScriptClock clock) {
        super(link, options.prefix(), clock);
        this.link = link;
    }

    /**
     * Connects and warms up, which takes two seconds at most after the connection is made.
     *
     * @throws StoreException if Redis cannot be reached
     */
    public static RedisStore open(RedisStoreOptions options) {
        RedisStore store = new RedisStore(RedisLink.open(options), options, ScriptClock.running());
        store.runWarmUpDecision();
        EvictionWarning.warn(store.link);
        return store;
    }

    /** The connection, for data that is kept beside the budgets. */
    RedisLink link() {
        return link;
    }

    @Override
    protected KeyNames names() {
        return super.names();
    }
}
