package dev.weir.store.raft;

import java.io.IOException;
import java.util.concurrent.CompletionStage;

/** What brings submissions into one order for all nodes, and applies them in it. */
public interface Consensus extends AutoCloseable {

    /** What is agreed upon is applied to this, in the same order on every node. Called by one thread at a time. */
    interface State {
        byte[] apply(Entry entry);

        byte[] snapshot();

        void restore(byte[] snapshot);
    }

    /** Makes a node that does not take part yet. */
    @FunctionalInterface
    interface Engine {
        /**
         * Makes it.
         *
         * @throws IOException if the directory or the address cannot be used
         */
        Consensus create(RaftOptions options, State state) throws IOException;
    }

    /**
     * Begins to take part.
     *
     * @throws IOException if the directory or the address cannot be used after all
     */
    void start() throws IOException;

    /** What this node is like at the moment. */
    NodeStatus status();

    /** The port at which other nodes reach this one. */
    int port();

    /**
     * Has something applied everywhere, and answers what that gave. It may be applied several times: what it is applied
     * to must count it once.
     *
     * @param durable whether it must be on the disks of a majority first
     * @return fails with a {@link dev.weir.StoreException} when its time is up; it may have been applied all the same
     */
    CompletionStage<byte[]> submit(byte[] body, boolean durable);

    /** Hands over if it leads, answers what is under way, and stops. */
    @Override
    void close();

    /** Stops at once, as if it had died. */
    void halt();
}
