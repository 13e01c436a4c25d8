package dev.weir.store.redis;

import dev.weir.spi.StoreUri;
import dev.weir.store.redis.RedisStoreOptions.Login;
import dev.weir.store.redis.RedisStoreOptions.Node;
import dev.weir.store.redis.RedisStoreOptions.Topology;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Parses {@code SCHEME://[user[:password]@]HOST[:PORT][,HOST[:PORT]…][/DATABASE or /MASTER][?OPTIONS]}.
 *
 * <p>Messages never contain the text before the last {@code @}, and only the values of options that are no secrets.
 */
final class RedisUriParser {
    private static final List<String> OPTIONS = List.of("prefix", "timeout", "wait", "tls", "ca", "spin");
    private static final Pattern NUMBER = Pattern.compile("\\d{1,9}");
    private static final int REDIS_PORT = 6379;
    private static final int SENTINEL_PORT = 26379;

    private RedisUriParser() {}

    static RedisStoreOptions parse(String uri) {
        StoreUri parsed = StoreUri.parse(uri, "Redis", OPTIONS);
        Topology topology = switch (parsed.scheme()) {
            case "redis", "rediss" -> Topology.SINGLE;
            case "redis-sentinel" -> Topology.SENTINEL;
            case "redis-cluster" -> Topology.CLUSTER;
            default ->
                throw new IllegalArgumentException("the store's URI must begin with redis://, rediss://,"
                        + " redis-cluster:// or redis-sentinel://");
        };
        Login login = login(parsed.userInfo());
        String path = parsed.path();
        List<Node> nodes = nodes(parsed.authority(), topology == Topology.SENTINEL ? SENTINEL_PORT : REDIS_PORT);
        if (topology == Topology.SINGLE && nodes.size() > 1) {
            throw new IllegalArgumentException("redis:// names " + nodes.size()
                    + " hosts; it must name one (redis-cluster:// and redis-sentinel:// take several)");
        }
        if (topology == Topology.SENTINEL && path.isEmpty()) {
            throw new IllegalArgumentException(
                    "redis-sentinel:// names no master; end it with the name that Sentinel knows, such as /mymaster");
        }
        String ca = parsed.option("ca");
        return new RedisStoreOptions(
                topology,
                nodes,
                topology == Topology.SENTINEL ? path : "",
                topology == Topology.SENTINEL || path.isEmpty() ? 0 : number("the database", path),
                login,
                parsed.scheme().equals("rediss") || parsed.flag("tls", false),
                ca == null ? null : Path.of(ca),
                parsed.option("prefix", "weir"),
                parsed.duration("timeout", RedisStoreOptions.DEFAULT_TIMEOUT),
                number("wait", parsed.option("wait", "0")),
                parsed.flag("spin", false));
    }

    private static @Nullable Login login(@Nullable String text) {
        if (text == null) {
            return null;
        }
        int colon = text.indexOf(':');
        String user = colon < 0 ? "" : StoreUri.decoded(text.substring(0, colon), "the user");
        String password = StoreUri.decoded(colon < 0 ? text : text.substring(colon + 1), "the password");
        return user.isEmpty() && password.isEmpty() ? null : new Login(user, password);
    }

    private static List<Node> nodes(String text, int defaultPort) {
        List<Node> nodes = new ArrayList<>();
        for (String each : text.split(",", -1)) {
            int bracket = each.lastIndexOf(']');
            int colon = each.indexOf(':', Math.max(0, bracket));
            String host = colon < 0 ? each : each.substring(0, colon);
            if (host.startsWith("[") && host.endsWith("]")) {
                host = host.substring(1, host.length() - 1);
            }
            int port = colon < 0 ? defaultPort : number("the port", each.substring(colon + 1));
            if (host.isBlank() || host.indexOf('@') >= 0 || port < 1 || port > 65_535) {
                throw new IllegalArgumentException("host " + (nodes.size() + 1)
                        + " of the store's URI is not HOST:PORT with a port of 1 to 65535"
                        + " (in a user or password, write @ / ? : as %40 %2F %3F %3A)");
            }
            nodes.add(new Node(host, port));
        }
        return nodes;
    }

    private static int number(String what, String text) {
        if (!NUMBER.matcher(text).matches()) {
            throw new IllegalArgumentException(what + " of the store's URI is not a number"
                    + " (in a user or password, write @ / ? : as %40 %2F %3F %3A)");
        }
        return Integer.parseInt(text);
    }
}
