package dev.weir.engine.plan;

import dev.weir.engine.address.ClientAddress;
import dev.weir.engine.path.PathNormalizer;

/**
 * Normalizes attribute values in configurations and settings as those of requests are normalized.
 *
 * @param addresses for the attribute {@code ip}
 * @param paths for the path attribute
 */
record AttributeValues(ClientAddress addresses, PathNormalizer paths) {

    String of(String attribute, String value) {
        return switch (attribute) {
            case "ip" -> addresses.identity(value);
            case "path" -> paths.value(value);
            default -> value;
        };
    }
}
