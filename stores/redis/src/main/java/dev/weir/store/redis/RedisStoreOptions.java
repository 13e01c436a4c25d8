package dev.weir.store.redis;

import dev.weir.spi.StoreUri;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where Redis is and how the store uses it.
 *
 * @param topology how many Redises, and who says which
 * @param nodes at least one; any that answers is enough to find the others
 * @param master the name under which Sentinel knows the master; empty otherwise
 * @param database 0 but for a single Redis or one behind Sentinel
 * @param login null for none
 * @param tls whether connections are encrypted, and the server's name checked
 * @param authority the certificate of an authority of one's own, in PEM; null for those that Java trusts
 * @param prefix what every key begins with: letters, digits and {@code . _ - :}
 * @param timeout how long one call may take; a call that took longer may still have been made
 * @param replicas how many replicas must have what was written before a decision is answered; 0 for none
 * @param spin whether threads and event loops that wait for an answer spin for up to 0.2 ms before they park
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

    /** 50 milliseconds. */
    public static final Duration DEFAULT_TIMEOUT = Duration.ofMillis(50);

    private static final Pattern PREFIX = Pattern.compile("[A-Za-z0-9._:-]{1,64}");

    /** How many Redises, and who says which. */
    public enum Topology {
        SINGLE,
        SENTINEL,
        CLUSTER
    }

    /** Where one Redis or Sentinel listens. */
    public record Node(String host, int port) {
        @Override
        public String toString() {
            return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
        }
    }

    /**
     * Who we are for Redis. It shows neither.
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
            throw new IllegalArgumentException("timeout is " + timeout + "; it must be a millisecond to a minute");
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
     * The options that a URI names.
     *
     * @throws IllegalArgumentException if it is wrong; the message does not repeat it, as it may hold a password
     */
    public static RedisStoreOptions parse(String uri) {
        return RedisUriParser.parse(uri);
    }

    /** The same with another prefix. */
    public RedisStoreOptions withPrefix(String value) {
        return new RedisStoreOptions(
                topology, nodes, master, database, login, tls, authority, value, timeout, replicas, spin);
    }

    /** The same with another timeout. */
    public RedisStoreOptions withTimeout(Duration value) {
        return new RedisStoreOptions(
                topology, nodes, master, database, login, tls, authority, prefix, value, replicas, spin);
    }
}
