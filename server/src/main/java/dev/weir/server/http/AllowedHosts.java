package dev.weir.server.http;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The host names that clients may use in the Host header. This prevents DNS rebinding: a browser takes a page whose
 * name was made to resolve to this machine for the server's own origin, but sends the page's name in the Host header.
 *
 * <p>On a loopback address only this machine's names and the given ones are allowed. On any other address every name is
 * allowed unless some are given.
 */
public final class AllowedHosts {
    private static final Pattern HOST = Pattern.compile("(\\[(?<address>[^]]+)]|(?<name>[^:\\[]+))(:[0-9]*)?");
    private static final List<String> LOOPBACK = List.of("localhost", "127.0.0.1", "::1");

    /** The allowed names; null if every name is allowed. */
    private final @Nullable Set<String> names;

    /**
     * Creates the allowed names of a server.
     *
     * @param bound the address that it listens on
     * @param given more names
     */
    AllowedHosts(String bound, List<String> given) {
        if (given.isEmpty() && !isLoopback(bound)) {
            this.names = null;
        } else {
            Set<String> all = new HashSet<>(LOOPBACK);
            all.add(bound.toLowerCase(Locale.ROOT));
            all.addAll(given);
            this.names = all;
        }
    }

    /**
     * Returns a host name in the form used for comparison.
     *
     * @throws IllegalArgumentException if it is not a host name
     */
    public static String parse(String given) {
        String bare = given.startsWith("[") && given.endsWith("]") ? given.substring(1, given.length() - 1) : given;
        boolean isAddress = bare.matches("[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*");
        if (!isAddress && !bare.matches("[A-Za-z0-9_]([A-Za-z0-9_.-]{0,252})")) {
            throw new IllegalArgumentException("--allowed-host is '" + LogSafeText.text(given)
                    + "'; it must be a name without a scheme and a port, such as weir.example.com");
        }
        return plain(bare);
    }

    boolean isAny() {
        return names == null;
    }

    /** Returns whether a Host header, with or without a port, has one of the names. */
    boolean contain(@Nullable String header) {
        if (names == null) {
            return true;
        }
        String name = header == null ? null : name(header);
        return name != null && names.contains(name);
    }

    void check(Exchange exchange) {
        if (!contain(exchange.authority())) {
            throw ProblemException.of(
                    403,
                    "host_not_allowed",
                    "this server is not called by the name in the Host header; if it should be, start it with"
                            + " --allowed-host NAME, or let the proxy send another Host");
        }
    }

    private static @Nullable String name(String header) {
        Matcher parts = HOST.matcher(header);
        if (!parts.matches()) {
            return null;
        }
        String address = parts.group("address");
        return plain(address == null ? parts.group("name") : address);
    }

    private static String plain(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
    }

    private static boolean isLoopback(String bound) {
        try {
            return InetAddress.getByName(bound).isLoopbackAddress();
        } catch (UnknownHostException e) {
            // Listening on this address fails as well, with a message that has the reason.
            return false;
        }
    }
}
