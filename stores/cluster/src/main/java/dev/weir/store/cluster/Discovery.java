package dev.weir.store.cluster;

import dev.weir.store.raft.Directory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The ways in which nodes find each other. */
final class Discovery {
    private Discovery() {}

    /** An address that is looked up when it is used, so that a name may come to mean another one. */
    static InetSocketAddress address(String option, String text) {
        int colon = text.lastIndexOf(':');
        String port = text.substring(colon + 1);
        if (colon < 1 || !port.matches("[0-9]{1,5}") || Integer.parseInt(port) > 65_535) {
            throw new IllegalArgumentException("the option '" + option + "' must have addresses such as 10.0.0.1:7800");
        }
        return InetSocketAddress.createUnresolved(text.substring(0, colon), Integer.parseInt(port));
    }

    /** Each node at its own address. */
    static Directory listed(List<String> members) {
        List<InetSocketAddress> addresses =
                members.stream().map(member -> address("members", member)).toList();
        return node -> {
            InetSocketAddress address = addresses.get(node);
            return List.of(new InetSocketAddress(address.getHostString(), address.getPort()));
        };
    }

    /** All nodes behind one name, as of a headless service: whoever answers says which node it is. */
    static Directory dns(InetSocketAddress service) {
        return new Met() {
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

    /** All nodes say in a group where they are. */
    static Directory multicast(InetSocketAddress group, int node, InetSocketAddress bind) {
        return new Multicast(group, node, bind);
    }

    /** Remembers who was met where, and tries there first. */
    abstract static class Met implements Directory {
        private final Map<Integer, InetSocketAddress> met = new ConcurrentHashMap<>();

        abstract List<InetSocketAddress> all();

        @Override
        public List<InetSocketAddress> addresses(int node) {
            List<InetSocketAddress> addresses = new ArrayList<>(all());
            InetSocketAddress likely = met.get(node);
            if (likely != null && addresses.remove(likely)) {
                addresses.add(0, likely);
            }
            return addresses;
        }

        @Override
        public void met(InetSocketAddress address, int node) {
            met.put(node, address);
        }
    }
}
