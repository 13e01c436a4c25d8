package dev.weir.engine.address;

import java.net.InetAddress;

/**
 * Determines the addresses of the public Internet, by IANA's registries of special-purpose addresses: not unspecified,
 * loopback, private, shared, link-local, multicast, reserved or for documentation. An IPv4 address in an IPv6 address
 * (mapped, or translated with NAT64's well-known prefix) is treated as the IPv4 address.
 */
public final class PublicAddresses {
    private static final TrustedProxies SPECIAL_V4 = TrustedProxies.of(
            "0.0.0.0/8",
            "10.0.0.0/8",
            "100.64.0.0/10",
            "127.0.0.0/8",
            "169.254.0.0/16",
            "172.16.0.0/12",
            "192.0.0.0/24",
            "192.0.2.0/24",
            "192.88.99.0/24",
            "192.168.0.0/16",
            "198.18.0.0/15",
            "198.51.100.0/24",
            "203.0.113.0/24",
            "224.0.0.0/4",
            "240.0.0.0/4");

    private static final TrustedProxies GLOBAL_V6 = TrustedProxies.of("2000::/3");
    private static final TrustedProxies SPECIAL_V6 =
            TrustedProxies.of("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20");
    private static final TrustedProxies NAT64 = TrustedProxies.of("64:ff9b::/96");

    private PublicAddresses() {}

    public static boolean contain(InetAddress address) {
        return contain(IpAddress.of(address));
    }

    private static boolean contain(IpAddress address) {
        if (!address.v6()) {
            return !SPECIAL_V4.trusts(address);
        }
        if (NAT64.trusts(address)) {
            return contain(IpAddress.v4(address.low()));
        }
        return GLOBAL_V6.trusts(address) && !SPECIAL_V6.trusts(address);
    }
}
