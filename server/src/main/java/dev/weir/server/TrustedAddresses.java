package dev.weir.server;

import dev.weir.engine.Weir;
import dev.weir.engine.address.TrustedProxies;
import java.net.InetAddress;
import java.util.List;

/** The trusted proxies of the current configuration. Thread-safe. */
final class TrustedAddresses {
    private final Weir weir;
    /** Created again when the configuration's list changes. */
    private volatile CachedProxies made = new CachedProxies(List.of(), TrustedProxies.none());

    private record CachedProxies(List<String> networks, TrustedProxies proxies) {}

    TrustedAddresses(Weir weir) {
        this.weir = weir;
    }

    boolean contain(InetAddress address) {
        List<String> networks = weir.configuration().trustedProxies();
        CachedProxies present = made;
        if (!present.networks.equals(networks)) {
            present = new CachedProxies(networks, TrustedProxies.of(networks));
            made = present;
        }
        return present.proxies.contains(address);
    }
}
