package dev.weir.store.durableobjects;

import dev.weir.StoreException;
import dev.weir.store.scripted.ScriptClock;
import dev.weir.store.scripted.ScriptedStore;

/**
 * The store in Durable Objects: many processes, anywhere, share one limit through a worker at the edge.
 *
 * <p><b>Guarantee.</b> Never one admission over a policy, however many processes ask: an object decides all charges of a
 * request that are its own, by its own clock, in one round trip, and answers once that is durable. All limits of one holder
 * are in one object. A request over several takes one step for each, the outermost limit's first, and gives back what it
 * spent if one refuses.
 *
 * <p><b>Failure.</b> Without an answer in time, or without a connection, a call fails at once and is not repeated; it may
 * have been made all the same, which spends but never admits.
 *
 * <p><b>Cost.</b> Questions that come while calls are in flight travel together in the next. A refusal writes nothing.
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
     * Asks the worker whether it is there and lets us in.
     *
     * @throws StoreException if it is not, or does not
     */
    public static DurableObjectsStore open(DurableObjectsStoreOptions options) {
        Worker worker = new Worker(options);
        worker.greet();
        return new DurableObjectsStore(new WorkerLink(worker), options, ScriptClock.running());
    }

    /** The way to the worker, for what else is kept beside the budgets. */
    Worker worker() {
        return link.worker();
    }

    DurableObjectsStoreOptions options() {
        return options;
    }
}
