package dev.weir.engine.address;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * The networks of the proxies whose headers are trusted.
 *
 * <p>An IPv4-mapped client counts as IPv4, so {@code ::/0} contains no IPv4 address and {@code 0.0.0.0/0} no IPv6
 * address. Immutable.
 */
public final class TrustedProxies {
    private static final TrustedProxies NONE = new TrustedProxies(new Cidr[0]);

    private final Cidr[] networks;

    private TrustedProxies(Cidr[] networks) {
        this.networks = networks;
    }

    /** No trusted proxy: every client is its peer. */
    public static TrustedProxies none() {
        return NONE;
    }

    /**
     * Parses networks in CIDR notation; a single address is a network of one.
     *
     * @throws IllegalArgumentException if one is malformed; the message names it and the correct form
     */
    public static TrustedProxies of(Collection<String> cidrs) {
        return new TrustedProxies(cidrs.stream().map(Cidr::parse).toArray(Cidr[]::new));
    }

    public static TrustedProxies of(String... cidrs) {
        return of(Arrays.asList(cidrs));
    }

    /** Whether the peer of a connection is a trusted proxy; false for a text that is not an address. */
    public boolean contains(String peer) {
        IpAddress address = HopAddress.peer(peer);
        return address != null && trusts(address);
    }

    public boolean contains(InetAddress peer) {
        return trusts(IpAddress.of(peer));
    }

    boolean trusts(@Nullable IpAddress address) {
        if (address != null) {
            for (Cidr network : networks) {
                if (network.contains(address)) {
                    return true;
                }
            }
        }
        return false;
    }

    @Override
    public String toString() {
        return Arrays.toString(networks);
    }
}
