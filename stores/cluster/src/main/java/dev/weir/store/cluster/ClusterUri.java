package dev.weir.store.cluster;

import dev.weir.spi.StoreUri;
import dev.weir.store.consensus.Directory;
import dev.weir.store.consensus.Timing;
import dev.weir.store.consensus.TlsFiles;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The parsed URI of a cluster: {@code cluster://NAME?bind=HOST:PORT&members=H:P,H:P,H:P}.
 *
 * <p>Messages never contain the URI, as it may hold the password of a key.
 *
 * @param node the name of this node: its address in {@code members}, or {@code node-N}
 * @param founders the names of the nodes that start the cluster, 1 to 9, sorted
 * @param tls the certificates; null for connections without TLS
 * @param insecure whether the node may listen to other machines without TLS
 * @param sync whether every entry is synced to disk before it counts
 */
record ClusterUri(
        String name,
        String node,
        List<String> founders,
        InetSocketAddress bind,
        Directory directory,
        @Nullable TlsFiles tls,
        boolean insecure,
        boolean sync,
        Timing timing,
        Duration patience) {

    static final String SCHEME = "cluster://";

    private static final List<String> OPTIONS = List.of(
            "bind",
            "members",
            "dns",
            "multicast",
            "node",
            "nodes",
            "tls-cert",
            "tls-key",
            "tls-ca",
            "tls-password",
            "insecure",
            "sync",
            "election",
            "patience",
            "secret");

    private static final int MOST_NODES = 9;
    /**
     * Default timeout in election timeouts: one to two to detect a failed leader, one for an election, one for a
     * repetition.
     */
    private static final int ELECTIONS_TO_WAIT = 4;

    /** @throws IllegalArgumentException if the URI is invalid; the message says what is allowed */
    static ClusterUri parse(String uri) {
        StoreUri parsed = StoreUri.parse(uri, "cluster", OPTIONS);
        String name = parsed.base().substring(SCHEME.length());
        if (!name.matches("[A-Za-z0-9._-]{1,64}")) {
            throw new IllegalArgumentException("the cluster's name must be 1 to 64 letters, digits, dots, dashes or"
                    + " underscores: cluster://NAME?bind=HOST:PORT&members=HOST:PORT,HOST:PORT,HOST:PORT");
        }
        Map<String, String> options = parsed.options();
        options.forEach((option, value) -> {
            if (value.isEmpty()) {
                throw new IllegalArgumentException("the option '" + option + "' must be given once, with a value");
            }
        });
        Timing timing = Timing.defaults();
        if (options.containsKey("election")) {
            timing = timing.withElection(duration("election", options.get("election"), 100, 10_000));
        }
        Duration patience = options.containsKey("patience")
                ? duration("patience", options.get("patience"), 50, 60_000)
                : timing.election().multipliedBy(ELECTIONS_TO_WAIT);
        Members members = Members.of(options);
        return new ClusterUri(
                name,
                members.node,
                members.founders,
                members.bind,
                members.directory,
                tls(options),
                parsed.flag("insecure", false),
                parsed.flag("sync", true),
                timing,
                patience);
    }

    private static @Nullable TlsFiles tls(Map<String, String> options) {
        if (options.containsKey("secret")) {
            throw new IllegalArgumentException("the option 'secret' no longer protects a cluster: give every node a"
                    + " certificate with tls-cert, tls-key and tls-ca; docs/cluster.md says how to make them");
        }
        String certificate = options.get("tls-cert");
        String authority = options.get("tls-ca");
        String key = options.get("tls-key");
        if (certificate == null || authority == null) {
            if (certificate != null || authority != null || key != null || options.containsKey("tls-password")) {
                throw new IllegalArgumentException("TLS needs tls-cert=FILE with this node's certificate, tls-key=FILE"
                        + " with its key unless tls-cert is a PKCS#12 file, and tls-ca=FILE with the certificate that"
                        + " signs those of all nodes");
            }
            return null;
        }
        return new TlsFiles(
                Path.of(certificate),
                key == null ? null : Path.of(key),
                Path.of(authority),
                options.get("tls-password"));
    }

    /**
     * Resolves the address to listen on.
     *
     * @throws IllegalArgumentException if other machines could reach it and there is no TLS
     */
    InetSocketAddress safeBind() {
        InetSocketAddress address = new InetSocketAddress(bind.getHostString(), bind.getPort());
        boolean isOpen = address.getAddress() != null && !address.getAddress().isLoopbackAddress();
        if (isOpen && tls == null && !insecure) {
            throw new IllegalArgumentException("bind=" + bind.getHostString() + ":" + bind.getPort()
                    + " can be reached by other machines and the cluster has no TLS: whoever reaches it could change and"
                    + " stop everything; give every node tls-cert=FILE, tls-key=FILE and tls-ca=FILE, or insecure=true if"
                    + " nobody else can reach this address");
        }
        return address;
    }

    private static Duration duration(String option, String text, int leastMillis, int mostMillis) {
        String number = text.endsWith("ms") ? text.substring(0, text.length() - 2) : "";
        if (!number.matches("[0-9]{1,6}")
                || Integer.parseInt(number) < leastMillis
                || Integer.parseInt(number) > mostMillis) {
            throw new IllegalArgumentException("the option '" + option + "' must be " + leastMillis + "ms to "
                    + mostMillis + "ms, such as " + option + "=" + 2 * leastMillis + "ms");
        }
        return Duration.ofMillis(Integer.parseInt(number));
    }

    /** The nodes of the cluster and how they find each other. */
    private record Members(String node, List<String> founders, InetSocketAddress bind, Directory directory) {

        static Members of(Map<String, String> options) {
            String bind = options.get("bind");
            if (bind == null) {
                throw new IllegalArgumentException(
                        "a cluster needs bind=HOST:PORT, where this node listens to the others");
            }
            InetSocketAddress address = Discovery.address("bind", bind);
            List<String> ways = new ArrayList<>(List.of("members", "dns", "multicast"));
            ways.retainAll(options.keySet());
            if (ways.size() != 1) {
                throw new IllegalArgumentException("a cluster needs one of members=HOST:PORT,HOST:PORT,… and"
                        + " dns=NAME:PORT and multicast=GROUP:PORT, to find the others; there are " + ways);
            }
            return options.containsKey("members") ? listed(options, bind, address) : found(options, address);
        }

        /** Nodes in a list of addresses, which are their names. */
        private static Members listed(Map<String, String> options, String bind, InetSocketAddress address) {
            List<String> members = List.copyOf(
                    new TreeSet<>(List.of(options.getOrDefault("members", "").split(","))));
            members.forEach(member -> Discovery.address("members", member));
            String node = options.getOrDefault("node", bind);
            if (!members.contains(node)) {
                throw new IllegalArgumentException(
                        "this node, " + node
                                + ", must be one of the members; if it listens elsewhere than the others call it, say node=HOST:PORT");
            }
            checkSize(members.size());
            return new Members(node, members, address, Discovery.listed());
        }

        /** Nodes with configured numbers, which find each other by DNS or multicast. */
        private static Members found(Map<String, String> options, InetSocketAddress address) {
            int size = number("nodes", options.getOrDefault("nodes", "3"));
            checkSize(size);
            String hostname = System.getenv().getOrDefault("HOSTNAME", "");
            String ordinal = hostname.replaceFirst("^.*-(?=[0-9]{1,2}$)", "");
            int number = number("node", options.getOrDefault("node", ordinal));
            if (number >= size) {
                throw new IllegalArgumentException(
                        "the option 'node' is " + number + "; with nodes=" + size + " it must be 0 to " + (size - 1));
            }
            String node = "node-" + number;
            String dns = options.get("dns");
            Directory directory = dns != null
                    ? Discovery.dns(Discovery.address("dns", dns))
                    : Discovery.multicast(
                            Discovery.address("multicast", options.getOrDefault("multicast", "")), node, address);
            List<String> founders =
                    IntStream.range(0, size).mapToObj(i -> "node-" + i).toList();
            return new Members(node, founders, address, directory);
        }

        private static int number(String option, String text) {
            if (!text.matches("[0-9]{1,2}")) {
                throw new IllegalArgumentException("the option '" + option
                        + "' must be a number from 0 on, or the host's name must end in one, as in weir-0");
            }
            return Integer.parseInt(text);
        }

        private static void checkSize(int size) {
            if (size < 1 || size > MOST_NODES) {
                throw new IllegalArgumentException(
                        "a cluster has 1 to " + MOST_NODES + " nodes, best 3 or 5, not " + size);
            }
        }
    }
}
