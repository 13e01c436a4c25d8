package dev.weir.store.cluster;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Where nodes are: on this machine's loopback, or each in a network namespace of its own, joined by a bridge, where
 * packets from one to another can be dropped.
 */
final class Network implements AutoCloseable {
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private final boolean apart;
    private final int size;
    private final String name = "w" + ProcessHandle.current().pid() % 100_000 + "x" + NUMBER.incrementAndGet();

    private Network(boolean apart, int size) {
        this.apart = apart;
        this.size = size;
    }

    static Network loopback() {
        return new Network(false, 0);
    }

    /** Whether this machine lets us make networks: needs Linux, the rights of root, and {@code ip}. */
    static boolean isPossible() {
        String trial = "wt" + ProcessHandle.current().pid();
        try {
            ProcessCluster.run("ip", "netns", "add", trial);
            ProcessCluster.run("ip", "link", "add", trial + "a", "type", "veth", "peer", "name", trial + "b");
            ProcessCluster.run("ip", "link", "del", trial + "a");
            ProcessCluster.run("ip", "netns", "del", trial);
            return true;
        } catch (IllegalStateException e) {
            try {
                new ProcessBuilder("ip", "netns", "del", trial).start().waitFor();
            } catch (IOException | InterruptedException ignored) {
                // There is nothing to remove.
            }
            return false;
        }
    }

    /** A namespace for each node, and one with the bridge that joins them. */
    static Network namespaces(int size) {
        Network network = new Network(true, size);
        network.make();
        return network;
    }

    private void make() {
        String hub = name + "h";
        ip("netns", "add", hub);
        in(hub, "ip", "link", "add", "br0", "type", "bridge");
        in(hub, "ip", "link", "set", "br0", "up");
        for (int i = 0; i < size; i++) {
            String ns = name + "n" + i;
            ip("netns", "add", ns);
            ip("link", "add", "eth0", "netns", ns, "type", "veth", "peer", "name", "v" + i, "netns", hub);
            in(hub, "ip", "link", "set", "v" + i, "master", "br0");
            in(hub, "ip", "link", "set", "v" + i, "up");
            in(ns, "ip", "link", "set", "lo", "up");
            in(ns, "ip", "addr", "add", address(i) + "/24", "dev", "eth0");
            in(ns, "ip", "link", "set", "eth0", "up");
            // What is dropped must be looked up before what is local.
            in(ns, "ip", "rule", "add", "pref", "1000", "lookup", "local");
            in(ns, "ip", "rule", "del", "pref", "0");
        }
    }

    boolean isApart() {
        return apart;
    }

    String address(int node) {
        return apart ? "10.77.0." + (node + 1) : "127.0.0.1";
    }

    /** What a command begins with to run where a node is. */
    List<String> prefix(int node) {
        return apart ? List.of("ip", "netns", "exec", name + "n" + node) : List.of();
    }

    /** Drops every packet from one node to another; the other way stays open. */
    void cut(int from, int to) {
        try {
            in(name + "n" + to, "ip", "rule", "add", "pref", "10", "from", address(from), "blackhole");
        } catch (IllegalStateException e) {
            if (!String.valueOf(e.getMessage()).contains("File exists")) {
                throw e;
            }
            // It is cut already.
        }
    }

    /** Cuts a node off from others, both ways. */
    void isolate(int node, int... others) {
        for (int other : others) {
            cut(node, other);
            cut(other, node);
        }
    }

    void heal() {
        for (int to = 0; to < size; to++) {
            for (int from = 0; from < size; from++) {
                if (from != to) {
                    try {
                        in(name + "n" + to, "ip", "rule", "del", "pref", "10", "from", address(from), "blackhole");
                    } catch (IllegalStateException e) {
                        // It was not cut.
                    }
                }
            }
        }
    }

    @Override
    public void close() {
        if (apart) {
            for (int i = 0; i < size; i++) {
                delete(name + "n" + i);
            }
            delete(name + "h");
        }
    }

    private static void delete(String namespace) {
        try {
            ip("netns", "del", namespace);
        } catch (IllegalStateException e) {
            // It was never made.
        }
    }

    private static void ip(String... arguments) {
        in(null, concat("ip", arguments));
    }

    private static void in(String namespace, String... command) {
        ProcessCluster.run(namespace == null ? command : concat("ip", "netns", "exec", namespace, command));
    }

    private static String[] concat(Object... parts) {
        java.util.ArrayList<String> all = new java.util.ArrayList<>();
        for (Object part : parts) {
            if (part instanceof String[] several) {
                all.addAll(List.of(several));
            } else {
                all.add((String) part);
            }
        }
        return all.toArray(String[]::new);
    }
}
