package dev.weir.engine.config;

import dev.weir.engine.address.ProxyHeader;
import java.util.List;
import java.util.Map;

/**
 * The attributes that are read from the headers of trusted proxies.
 *
 * @param headers the header that sets an attribute in forward auth, by attribute; no other header sets one. Empty by
 *     default.
 * @param clientAddress the header that contains a client's address, in forward auth and in every binding
 */
public record ForwardAuthRule(Map<String, String> headers, ProxyHeader clientAddress) {
    /** The attributes that are computed from the request itself, which no header may set. */
    public static final List<String> COMPUTED = List.of("ip", "path", "method", "host", "channel");

    /** No header sets an attribute; addresses come from {@code X-Forwarded-For}. */
    public static final ForwardAuthRule NONE = new ForwardAuthRule(Map.of(), ProxyHeader.X_FORWARDED_FOR);

    public ForwardAuthRule {
        headers = OrderedCopies.ordered(headers);
    }
}
