package dev.weir.store.cluster;

import dev.weir.StoreException;
import dev.weir.spi.Backend;
import dev.weir.spi.StoreEnvironment;
import dev.weir.spi.StoreProvider;
import dev.weir.store.raft.LogClock;
import java.io.IOException;
import java.nio.file.Path;

/** Opens {@code cluster://NAME?bind=HOST:PORT&members=H:P,H:P,H:P}. */
public final class ClusterStoreProvider implements StoreProvider {
    @Override
    public boolean knows(String uri) {
        return uri.startsWith(ClusterUri.SCHEME);
    }

    /** The node begins at once, and serves as soon as it sees a majority of the others; it does not wait for them here. */
    @Override
    public Backend open(String uri, StoreEnvironment environment) {
        ClusterUri parsed = ClusterUri.parse(uri);
        Path data = environment.data();
        // Several nodes on one machine may share a data directory; each has a part of its own.
        Path own = data == null ? null : data.resolve("cluster-" + parsed.name() + "-" + parsed.node());
        try {
            ClusterNode node = ClusterNode.start(parsed, own, environment.settingsFormat(), LogClock.Clock.SYSTEM);
            return new Backend(node.store(), node.clusterSettings());
        } catch (IOException e) {
            throw new StoreException("this node of the cluster cannot start: " + e.getMessage(), false, e);
        }
    }
}
