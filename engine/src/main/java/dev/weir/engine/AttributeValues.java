package dev.weir.engine;

import dev.weir.engine.address.ClientAddress;

/**
 * Brings values of attributes that a configuration or a setting names into the form that those of requests have.
 *
 * @param addresses for the attribute ip
 * @param paths for the attribute of that kind
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
