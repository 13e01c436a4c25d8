package dev.weir.store.consensus;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The options of a node.
 *
 * @param cluster the cluster's name; connections from nodes of other clusters are closed
 * @param node the name of this node: HOST:PORT, or a name without a colon
 * @param founders the names of the first members, the same on all nodes that start a new cluster
 * @param bind the address on which this node listens
 * @param directory finds the addresses of the other nodes
 * @param data the directory of its log, vote and snapshots; null for a temporary one, which makes each start that of a
 *     node that has lost its directory
 * @param formats the formats of submissions and snapshots that this node reads; nodes without a common one are rejected
 * @param tls the certificates; null for connections without TLS
 * @param sync whether every entry and vote is synced to disk before it counts
 * @param patience how long a submission waits at most
 */
public record ConsensusOptions(
        String cluster,
        String node,
        List<String> founders,
        InetSocketAddress bind,
        Directory directory,
        @Nullable Path data,
        FormatRange formats,
        @Nullable TlsFiles tls,
        boolean sync,
        Timing timing,
        Duration patience,
        LogClock.Clock clock) {}
