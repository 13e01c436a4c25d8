package dev.weir.store.durableobjects;

import dev.weir.StoreException;
import dev.weir.store.scripted.ScriptClock;
import dev.weir.store.scripted.ScriptedStore;

/**
 * A store in Cloudflare Durable Objects, which lets many processes share limits through a worker at the edge.
 *
 * <p><b>Guarantee.</b> The store never admits more than a policy allows, for any number of processes. An object decides
 * all charges of a request whose keys it has, by its own clock, in one round trip, and responds once that is durable.
 * All limits of one user are in one object. A request over several objects takes one call for each, the outermost
 * limit's first, and refunds what it spent if one refuses.
 *
 * <p><b>Failure.</b> A call fails after the timeout, or at once without a connection, and is not repeated. The object
 * may have decided it all the same; then the call has spent without admitting.
 *
 * <p><b>Cost.</b> Requests that arrive while calls are in flight form the next batch. A refusal writes nothing.
 *
 * <p>Safe for use by several threads.
 */
public final class DurableObjectsStore extends ScriptedStore {
    private final WorkerLink link;
    private final DurableObjectsStoreOptions options;

    DurableObjectsStore(WorkerLink link, DurableObjectsStoreOptions options, ScriptClock clock) {
        super(link, options.prefix(), clock);
        this.link = link;
        this.options = options;
    }

    /**
     * Opens the store and checks that the worker responds, accepts the token and has a matching protocol version.
     *
     * @throws StoreException if one of these checks fails
     */
    public static DurableObjectsStore open(DurableObjectsStoreOptions options) {
        WorkerClient worker = new WorkerClient(options);
        worker.checkVersion();
        return new DurableObjectsStore(new WorkerLink(worker), options, ScriptClock.running());
    }

    /** The client of the worker, for data that is kept beside the budgets. */
    WorkerClient worker() {
        return link.worker();
    }

    DurableObjectsStoreOptions options() {
        return options;
    }
}
