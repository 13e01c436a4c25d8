package dev.weir.store.raft;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a node is to be.
 *
 * @param cluster the cluster's name: nodes of another one are refused
 * @param node which one this is, from 0 on
 * @param size how many nodes there are
 * @param membership a text that is the same on all nodes and says who they are
 * @param bind where this one listens
 * @param members where the others are
 * @param directory where it keeps its journal; null keeps it in memory, so that each start is that of a node that has
 *     forgotten everything
 * @param format what submissions and snapshots are made of: nodes with another one are refused
 * @param secret what all nodes know; null for no secret, no encryption
 * @param patience how long a submission waits at most
 */
public record RaftOptions(
        String cluster,
        int node,
        int size,
        String membership,
        InetSocketAddress bind,
        Directory members,
        @Nullable Path directory,
        int format,
        @Nullable Secret secret,
        Timing timing,
        Duration patience,
        LogClock.Clock clock) {

    Handshake.Identity identity() {
        return new Handshake.Identity(cluster, size, membership, format, node, secret);
    }
}
