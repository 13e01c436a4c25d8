package dev.weir.store.redis;

import dev.weir.DurationText;
import dev.weir.spi.StoreUri;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The addresses of Redis and the options of the store. Immutable.
 *
 * @param topology whether Redis is a single server, behind Sentinel, or a cluster
 * @param nodes the addresses, at least one; one reachable node is enough to find the others
 * @param master the master's name in Sentinel; empty for other topologies
 * @param database the number of the database; must be 0 in Redis Cluster
 * @param login the user and password; null for none
 * @param tls whether connections are encrypted and the server's name is verified
 * @param authority the certificate of a private authority, in PEM; null for the authorities that Java trusts
 * @param prefix the prefix of every key, 1 to 64 letters, digits and {@code . _ - :}
 * @param timeout the timeout of one call, a millisecond to a minute; the script may have run in a call that timed out
 * @param replicas how many replicas must have received a decision's writes before the decision completes; 0 to 100
 * @param spin whether threads and event loops that wait for a reply spin for up to 0.2 ms before they park
 */
public record RedisStoreOptions(
        Topology topology,
        List<Node> nodes,
        String master,
        int database,
        @Nullable Login login,
        boolean tls,
        @Nullable Path authority,
        String prefix,
        Duration timeout,
        int replicas,
        boolean spin) {

    /** The default timeout of a call: 50 milliseconds. */
    public static final Duration DEFAULT_TIMEOUT = Duration.ofMillis(50);

    private static final Pattern PREFIX = Pattern.compile("[A-Za-z0-9._:-]{1,64}");

    /** The deployment of Redis: a single server, a master behind Sentinel, or Redis Cluster. */
    public enum Topology {
        SINGLE,
        SENTINEL,
        CLUSTER
    }

    /** The address of one Redis or Sentinel server. */
    public record Node(String host, int port) {
        @Override
        public String toString() {
            return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
        }
    }

    /**
     * User and password. {@link #toString()} shows neither.
     *
     * @param user empty for the default user
     */
    public record Login(String user, String password) {
        @Override
        public String toString() {
            return "Login[…]";
        }
    }

    public RedisStoreOptions {
        nodes = List.copyOf(nodes);
        if (nodes.isEmpty()) {
            throw new IllegalArgumentException("there is no host; name at least one");
        }
        if (!PREFIX.matcher(prefix).matches()) {
            throw new IllegalArgumentException(
                    "prefix is '" + StoreUri.shown(prefix) + "'; it must have 1 to 64 letters, digits or . _ - :");
        }
        if (timeout.compareTo(Duration.ofMillis(1)) < 0 || timeout.compareTo(Duration.ofMinutes(1)) > 0) {
            throw new IllegalArgumentException(
                    "timeout is " + DurationText.of(timeout) + "; it must be a millisecond to a minute");
        }
        if (replicas < 0 || replicas > 100) {
            throw new IllegalArgumentException("wait is " + replicas + "; it must be 0 to 100 replicas");
        }
        if (database < 0 || (database > 0 && topology == Topology.CLUSTER)) {
            throw new IllegalArgumentException("the database is " + database
                    + (database < 0 ? "; it must be 0 or more" : "; Redis Cluster has only 0"));
        }
    }

    /**
     * Parses the options of a store URI.
     *
     * @throws IllegalArgumentException if the URI is invalid; the message does not contain it, as it may hold a
     *     password
     */
    public static RedisStoreOptions parse(String uri) {
        return RedisUriParser.parse(uri);
    }

    /** A copy with another prefix. */
    public RedisStoreOptions withPrefix(String value) {
        return new RedisStoreOptions(
                topology, nodes, master, database, login, tls, authority, value, timeout, replicas, spin);
    }

    /** A copy with another timeout. */
    public RedisStoreOptions withTimeout(Duration value) {
        return new RedisStoreOptions(
                topology, nodes, master, database, login, tls, authority, prefix, value, replicas, spin);
    }
}
