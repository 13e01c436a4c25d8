package dev.weir.store.consensus;

import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** A replicated log: puts submissions into one order for all nodes and applies them in that order on each. */
public interface Consensus extends AutoCloseable {

    /** The replicated state machine. Its methods are called by one thread at a time. */
    interface State {
        byte[] apply(Entry entry);

        /** Captures the state quickly. The returned encoder is called once, by another thread. */
        Encoder capture();

        void restore(byte[] snapshot);

        /** Whether this node can apply a submission. What it could not would stop every node. Any thread may call it. */
        default boolean accepts(byte[] body) {
            return true;
        }

        /** The newest format of all that was applied. A node that cannot read it is rejected. Any thread may call it. */
        default int format() {
            return 0;
        }
    }

    /** Encodes a captured state. */
    @FunctionalInterface
    interface Encoder {
        void encode(OutputStream out) throws IOException;
    }

    /** A change of the cluster that an operator asks for. */
    enum MembershipChange {
        ADD,
        REMOVE,
        TRANSFER
    }

    /**
     * Joins or forms the cluster.
     *
     * @throws IOException if the directory cannot be used
     */
    void start() throws IOException;

    NodeStatus status();

    /** Asks the other members for their state, for a second at most. Has this node's, and those that answered. */
    CompletionStage<List<NodeStatus>> statusOfAll();

    /** The newest format that all members can read, as far as this node has met them since its start. */
    int format();

    /** The port on which other nodes reach this one. */
    int port();

    /**
     * Appends a submission to the log and completes with the state machine's reply. It may be applied several times, so
     * the state machine has to recognise repetitions.
     *
     * @param durable whether it is synced to the disks of a majority in every mode
     * @return fails with a {@link dev.weir.StoreException} at its deadline; it may have been applied nevertheless
     */
    CompletionStage<byte[]> submit(byte[] body, boolean durable);

    /**
     * Adds a member, removes one, or transfers leadership to one. The leader executes it.
     *
     * @param node the name of the member
     * @return fails with a {@link dev.weir.StoreException} that says why the cluster did not do it, and is retryable if
     *     there was no leader or no answer
     */
    CompletionStage<Void> change(MembershipChange change, String node);

    /** Transfers leadership if it leads, completes what is in flight, and stops. */
    @Override
    void close();

    /** Stops at once, like a crash. */
    void halt();
}
