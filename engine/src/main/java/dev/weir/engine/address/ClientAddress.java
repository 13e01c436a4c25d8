package dev.weir.engine.address;

import java.net.InetAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tells who a client is from its connection and from what trusted proxies say.
 *
 * <p>The walk begins at the connection's peer. While the address at hand is a trusted proxy, the next hop to the left in
 * the header is who that proxy says it heard from; the first address that is not trusted is the client. If the header
 * ends first, the leftmost trusted address is. If the peer itself is not trusted, headers are not looked at. Only the one
 * header that was chosen is read.
 *
 * <p>A hop that is malformed, empty, {@code unknown}, obfuscated ({@code _hidden}) or has a zone id ends the walk, and so
 * does the 32nd: the client is then {@link #UNKNOWN}. It is never the proxy that reported the hop, whose address may be
 * exempt, and nothing left of such a hop is ever believed. All such clients are one, which no configuration can exempt.
 *
 * <p>The identity of an IPv4 client is its address ({@code 203.0.113.7}), also if it came in IPv6 clothes. The identity
 * of an IPv6 client is its network in RFC 5952's spelling with the prefix length ({@code 2001:db8:1:2::/64}), which no
 * address can be mistaken for; with a prefix of 128 it is the address alone. A peer that is no address at all (a Unix
 * socket's path) is never trusted, and its identity is its text.
 *
 * <p>No name is ever looked up. Immutable and safe for use by any number of threads.
 */
public final class ClientAddress {
    /** The identity of every client behind a trusted proxy whose address that proxy does not tell. */
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

    /** Behind these proxies, with IPv6 clients one per /64, told by {@code X-Forwarded-For}. */
    public static ClientAddress behind(TrustedProxies proxies) {
        return behind(proxies, 64, ProxyHeader.X_FORWARDED_FOR);
    }

    /**
     * Behind these proxies.
     *
     * @param ipv6Prefix how many bits tell one IPv6 client from another, 1 to 128
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
     * @param forwarded the lines of the {@code Forwarded} header in their order; empty if there are none
     * @param xForwardedFor the lines of the {@code X-Forwarded-For} header in their order; empty if there are none
     */
    public String of(String peer, List<String> forwarded, List<String> xForwardedFor) {
        IpAddress address = Node.peer(peer);
        return address == null ? peer : identity(client(address, forwarded, xForwardedFor));
    }

    /** The client's identity, from an address that need not be printed first. */
    public String of(InetAddress peer, List<String> forwarded, List<String> xForwardedFor) {
        return identity(client(IpAddress.of(peer), forwarded, xForwardedFor));
    }

    /** Whether the peer of a connection is a trusted proxy, whose word counts. */
    public boolean trusts(String peer) {
        return proxies.contains(peer);
    }

    /**
     * The identity of the client that has this address, however it is spelled: what an administrator writes becomes what
     * requests carry. A text that is no address is its own identity.
     */
    public String identity(String address) {
        if (IpAddress.isCanonicalV4(address)) {
            return address;
        }
        IpAddress parsed = Node.peer(address);
        return parsed == null ? address : identity(parsed);
    }

    /** Null when a trusted proxy does not tell. */
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
