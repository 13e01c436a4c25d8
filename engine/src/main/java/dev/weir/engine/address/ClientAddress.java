package dev.weir.engine.address;

import java.net.InetAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Determines a client's identity from its connection and from the headers of trusted proxies. Immutable and safe for
 * use by any number of threads.
 *
 * <p>The walk begins at the connection's peer. While the present address is a trusted proxy, the next hop to the left
 * in the header is the address that this proxy received the request from. The first address that is not trusted is the
 * client. If the header ends first, the leftmost trusted address is the client. If the peer itself is not trusted,
 * headers are ignored. Only the configured header is read.
 *
 * <p>A hop that is malformed, empty, {@code unknown}, obfuscated ({@code _hidden}) or has a zone id ends the walk, and
 * so does the 32nd hop: the client is then {@link #UNKNOWN}. It is never the proxy that reported the hop, whose address
 * may be exempt, and nothing to the left of such a hop is trusted. All such clients share one identity, which no
 * configuration can exempt.
 *
 * <p>The identity of an IPv4 client is its address ({@code 203.0.113.7}), also if it is IPv4-mapped. The identity of an
 * IPv6 client is its network in the spelling of RFC 5952 with the prefix length ({@code 2001:db8:1:2::/64}), which
 * differs from every address. With a prefix of 128 it is the address alone. A peer that is not an address (a Unix
 * socket's path) is never trusted, and its identity is its text.
 *
 * <p>No name is ever looked up.
 */
public final class ClientAddress {
    /** The identity of every client behind a trusted proxy that does not report the client's address. */
    public static final String UNKNOWN = "unknown";

    private static final int MAX_HOPS = 32;

    private final TrustedProxies proxies;
    private final int ipv6Prefix;
    private final ProxyHeader header;

    private ClientAddress(TrustedProxies proxies, int ipv6Prefix, ProxyHeader header) {
        this.proxies = proxies;
        this.ipv6Prefix = ipv6Prefix;
        this.header = header;
    }

    /** Behind these proxies, with one IPv6 client per /64, by {@code X-Forwarded-For}. */
    public static ClientAddress behind(TrustedProxies proxies) {
        return behind(proxies, 64, ProxyHeader.X_FORWARDED_FOR);
    }

    /**
     * Behind these proxies.
     *
     * @param ipv6Prefix the number of leading bits that identify an IPv6 client, 1 to 128
     */
    public static ClientAddress behind(TrustedProxies proxies, int ipv6Prefix, ProxyHeader header) {
        if (ipv6Prefix < 1 || ipv6Prefix > 128) {
            throw new IllegalArgumentException("ipv6-prefix is " + ipv6Prefix + "; it must be 1 to 128");
        }
        return new ClientAddress(proxies, ipv6Prefix, header);
    }

    /**
     * The client's identity.
     *
     * @param peer the address of the connection's other end, as the server prints it
     * @param forwarded the lines of the {@code Forwarded} header in their order; may be empty
     * @param xForwardedFor the lines of the {@code X-Forwarded-For} header in their order; may be empty
     */
    public String of(String peer, List<String> forwarded, List<String> xForwardedFor) {
        IpAddress address = HopAddress.peer(peer);
        return address == null ? peer : identity(client(address, forwarded, xForwardedFor));
    }

    /** The client's identity, from an address that is not printed first. */
    public String of(InetAddress peer, List<String> forwarded, List<String> xForwardedFor) {
        return identity(client(IpAddress.of(peer), forwarded, xForwardedFor));
    }

    /** Whether the peer of a connection is a trusted proxy. */
    public boolean trusts(String peer) {
        return proxies.contains(peer);
    }

    /**
     * The identity of the client with this address, in any spelling: converts what an administrator writes to what
     * requests carry. A text that is not an address is its own identity.
     */
    public String identity(String address) {
        if (IpAddress.isCanonicalV4(address)) {
            return address;
        }
        IpAddress parsed = HopAddress.peer(address);
        return parsed == null ? address : identity(parsed);
    }

    /** Null if a trusted proxy does not report the client. */
    private @Nullable IpAddress client(IpAddress peer, List<String> forwarded, List<String> xForwardedFor) {
        IpAddress client = peer;
        boolean isForwarded = header == ProxyHeader.FORWARDED;
        Hops hops = new Hops(isForwarded ? forwarded : xForwardedFor, isForwarded);
        for (int i = 0; hops.hasNext() && proxies.trusts(client); i++) {
            @Nullable IpAddress next = i < MAX_HOPS ? hops.next() : null;
            if (next == null) {
                return null;
            }
            client = next;
        }
        return client;
    }

    private String identity(@Nullable IpAddress address) {
        if (address == null) {
            return UNKNOWN;
        }
        if (!address.v6() || ipv6Prefix == 128) {
            return address.toString();
        }
        return address.network(ipv6Prefix) + "/" + ipv6Prefix;
    }
}
