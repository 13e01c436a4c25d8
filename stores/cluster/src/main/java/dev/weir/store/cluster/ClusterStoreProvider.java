package dev.weir.store.cluster;

import dev.weir.StoreException;
import dev.weir.spi.Backend;
import dev.weir.spi.StoreEnvironment;
import dev.weir.spi.StoreProvider;
import dev.weir.store.consensus.LogClock;
import java.io.IOException;
import java.nio.file.Path;

/** Opens stores with {@code cluster://NAME?bind=HOST:PORT&members=H:P,H:P,H:P}. */
public final class ClusterStoreProvider implements StoreProvider {
    @Override
    public boolean knows(String uri) {
        return uri.startsWith(ClusterUri.SCHEME);
    }

    /** Starts the node and returns without waiting for others. It serves as soon as it is connected to a majority. */
    @Override
    public Backend open(String uri, StoreEnvironment environment) {
        ClusterUri parsed = ClusterUri.parse(uri);
        Path data = environment.data();
        // Several nodes on one machine may share a data directory; each has its own subdirectory.
        Path own = data == null
                ? null
                : data.resolve("cluster-" + parsed.name() + "-" + parsed.node().replace(':', '-'));
        try {
            ClusterNode node = ClusterNode.start(parsed, own, environment.settingsFormat(), LogClock.Clock.SYSTEM);
            return new Backend(node.store(), node.clusterSettings());
        } catch (IOException e) {
            throw new StoreException("this node of the cluster cannot start: " + e.getMessage(), false, e);
        }
    }
}
