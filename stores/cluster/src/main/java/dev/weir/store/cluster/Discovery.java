package dev.weir.store.cluster;

import dev.weir.store.consensus.Directory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** How nodes find each other: by a list of addresses, by DNS, or by multicast. */
final class Discovery {
    private Discovery() {}

    /** Parses an address without resolving it. It is resolved on each use, so DNS changes take effect. */
    static InetSocketAddress address(String option, String text) {
        int colon = text.lastIndexOf(':');
        String port = text.substring(colon + 1);
        if (colon < 1 || !port.matches("[0-9]{1,5}") || Integer.parseInt(port) > 65_535) {
            throw new IllegalArgumentException("the option '" + option + "' must have addresses such as 10.0.0.1:7800");
        }
        return InetSocketAddress.createUnresolved(text.substring(0, colon), Integer.parseInt(port));
    }

    /** A directory of nodes whose names are their addresses. */
    static Directory listed() {
        return node -> {
            InetSocketAddress address = address("members", node);
            return List.of(new InetSocketAddress(address.getHostString(), address.getPort()));
        };
    }

    /**
     * A directory of all addresses of one DNS name, such as a headless service. The handshake tells which node is at
     * one.
     */
    static Directory dns(InetSocketAddress service) {
        return new CachedDirectory() {
            @Override
            List<InetSocketAddress> all() {
                try {
                    List<InetSocketAddress> all = new ArrayList<>();
                    for (InetAddress address : InetAddress.getAllByName(service.getHostString())) {
                        all.add(new InetSocketAddress(address, service.getPort()));
                    }
                    return all;
                } catch (UnknownHostException e) {
                    return List.of();
                }
            }
        };
    }

    /** A directory of the addresses that nodes announce in a multicast group. */
    static Directory multicast(InetSocketAddress group, String node, InetSocketAddress bind) {
        return new MulticastDiscovery(group, node, bind);
    }

    /** A directory that puts the last known address of a node first. Safe for use by several threads. */
    abstract static class CachedDirectory implements Directory {
        private final Map<String, InetSocketAddress> met = new ConcurrentHashMap<>();

        abstract List<InetSocketAddress> all();

        @Override
        public List<InetSocketAddress> addresses(String node) {
            List<InetSocketAddress> addresses = new ArrayList<>(all());
            InetSocketAddress likely = met.get(node);
            if (likely != null && addresses.remove(likely)) {
                addresses.add(0, likely);
            }
            return addresses;
        }

        @Override
        public void met(InetSocketAddress address, String node) {
            met.put(node, address);
        }
    }
}
