package dev.weir.engine.address;

import java.net.InetAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tells who a client is from its connection and from what trusted proxies say.
 *
 * <p>The walk begins at the connection's peer. While the address at hand is a trusted proxy, the next hop to the left in
 * the header is who that proxy says it heard from; the first address that is not trusted is the client. If the header
 * ends first, the leftmost trusted address is. A hop that is malformed, empty, {@code unknown}, obfuscated
 * ({@code _hidden}) or has a zone id ends the walk, and the client is the proxy that reported it: nothing left of
 * garbage is ever believed. So does the 32nd hop. If the peer itself is not trusted, headers are not looked at.
 *
 * <p>With {@link ProxyHeader#EITHER}, a client behind a proxy that writes one of the two headers and passes the other
 * on unseen cannot be taken for anybody else; by sending the other it can only be counted as the proxy itself.
 *
 * <p>The identity of an IPv4 client is its address ({@code 203.0.113.7}), also if it came in IPv6 clothes. The identity
 * of an IPv6 client is its network in RFC 5952's spelling with the prefix length ({@code 2001:db8:1:2::/64}), which no
 * address can be mistaken for; with a prefix of 128 it is the address alone. A peer that is no address at all (a Unix
 * socket's path) is never trusted, and its identity is its text.
 *
 * <p>No name is ever looked up. Immutable and safe for use by any number of threads.
 */
public final class ClientAddress {
    private static final int MAX_HOPS = 32;

    private final TrustedProxies proxies;
    private final int ipv6Prefix;
    private final ProxyHeader header;

    private ClientAddress(TrustedProxies proxies, int ipv6Prefix, ProxyHeader header) {
        this.proxies = proxies;
        this.ipv6Prefix = ipv6Prefix;
        this.header = header;
    }

    /** Behind these proxies, with IPv6 clients one per /64 and {@link ProxyHeader#EITHER} header. */
    public static ClientAddress behind(TrustedProxies proxies) {
        return behind(proxies, 64, ProxyHeader.EITHER);
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

    private IpAddress client(IpAddress peer, List<String> forwarded, List<String> xForwardedFor) {
        if (!proxies.trusts(peer)) {
            return peer;
        }
        boolean takesForwarded = header != ProxyHeader.X_FORWARDED_FOR && !forwarded.isEmpty();
        boolean takesXForwardedFor = header != ProxyHeader.FORWARDED && !xForwardedFor.isEmpty();
        if (takesForwarded && takesXForwardedFor) {
            IpAddress one = walk(peer, Hops.forwarded(forwarded));
            IpAddress other = walk(peer, Hops.xForwardedFor(xForwardedFor));
            return one.equals(other) ? one : peer;
        }
        if (takesForwarded) {
            return walk(peer, Hops.forwarded(forwarded));
        }
        return takesXForwardedFor ? walk(peer, Hops.xForwardedFor(xForwardedFor)) : peer;
    }

    private IpAddress walk(IpAddress peer, Hops hops) {
        IpAddress client = peer;
        for (int i = 0; i < MAX_HOPS && hops.hasNext() && proxies.trusts(client); i++) {
            @Nullable IpAddress next = hops.next();
            if (next == null) {
                return client;
            }
            client = next;
        }
        return client;
    }

    private String identity(IpAddress address) {
        if (!address.v6() || ipv6Prefix == 128) {
            return address.toString();
        }
        return address.network(ipv6Prefix) + "/" + ipv6Prefix;
    }
}
