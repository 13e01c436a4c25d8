package dev.weir.store.consensus;

import java.net.InetSocketAddress;
import java.util.List;

/** Finds the addresses of nodes. */
public interface Directory {

    /**
     * Returns the addresses at which a node may be, the likeliest first. The handshake of a connection tells which node
     * is there. May block for a DNS lookup; called again for every attempt to connect.
     */
    List<InetSocketAddress> addresses(String node);

    /** Called after the handshake with a node at an address. */
    default void met(InetSocketAddress address, String node) {}
}
