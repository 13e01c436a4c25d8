package dev.weir.store.raft;

import java.net.InetSocketAddress;
import java.util.List;

/** Where the other nodes may be found. */
public interface Directory {

    /**
     * The addresses at which a node may be: all that come into question, the likeliest first. Whoever answers there says
     * which node it is. It may take a moment (a name is looked up), and it is asked again for every attempt.
     */
    List<InetSocketAddress> addresses(int node);

    /** Somebody at an address said which node it is. */
    default void met(InetSocketAddress address, int node) {}
}
