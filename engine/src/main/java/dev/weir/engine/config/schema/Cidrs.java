package dev.weir.engine.config.schema;

import static dev.weir.engine.config.schema.ValueTypes.ordered;

import dev.weir.engine.address.TrustedProxies;
import org.jspecify.annotations.Nullable;

/** Reads addresses and networks: {@code 10.0.0.0/8}, {@code ::1}. Host names are not accepted. */
final class Cidrs {
    static final ValueType<String> VALUE =
            ValueTypes.scalar(ordered("type", "string", "pattern", "^[0-9A-Fa-f:.]+(/[0-9]{1,3})?$"), text -> {
                String address = text.replaceFirst("/[0-9]{1,3}$", "");
                if (fault(address) != null) {
                    throw new IllegalArgumentException(
                            "it must be an address or a CIDR block such as 10.0.0.0/8 or fd00::/8");
                }
                int bits = address.indexOf(':') < 0 ? 32 : 128;
                if (!address.equals(text) && Integer.parseInt(text.substring(address.length() + 1)) > bits) {
                    throw new IllegalArgumentException("its prefix must be 0 to " + bits);
                }
                String fault = fault(text);
                if (fault != null) {
                    throw new IllegalArgumentException(fault);
                }
                return text;
            });

    private Cidrs() {}

    /** The reason why this is not a network; null if it is one. */
    private static @Nullable String fault(String cidr) {
        try {
            TrustedProxies unused = TrustedProxies.of(cidr);
            return null;
        } catch (IllegalArgumentException e) {
            return e.getMessage();
        }
    }
}
