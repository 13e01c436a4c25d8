package dev.weir.spring.web;

import dev.weir.spring.SetupException;
import java.util.Locale;

/**
 * The source of an attribute of a web request, as in {@code weir.attributes}: {@code principal}, {@code header:NAME},
 * {@code cookie:NAME}, {@code claim:NAME}, {@code json:/POINTER}.
 *
 * @param name the name of the header, cookie or claim, or the pointer; empty for the principal
 */
public record AttributeSource(Kind kind, String name) {

    /** The kinds of sources. */
    public enum Kind {
        /** The name of the authenticated user. */
        PRINCIPAL,
        /** A header. A client can set it to any value. */
        HEADER,
        /** A cookie. A client can set it to any value. */
        COOKIE,
        /** A claim of a token that the application has verified. */
        CLAIM,
        /** A field of a JSON body. */
        JSON
    }

    /**
     * Parses a source.
     *
     * @throws SetupException if it is not valid
     */
    public static AttributeSource of(String attribute, String text) {
        int colon = text.indexOf(':');
        String kind = (colon < 0 ? text : text.substring(0, colon)).trim();
        String name = colon < 0 ? "" : text.substring(colon + 1).trim();
        for (Kind each : Kind.values()) {
            boolean isNamed = each != Kind.PRINCIPAL;
            if (each.name().toLowerCase(Locale.ROOT).equals(kind) && isNamed == !name.isEmpty()) {
                return new AttributeSource(each, name);
            }
        }
        throw new SetupException(
                "weir.attributes." + attribute + " is '" + text + "'.",
                "It must be principal, header:NAME, cookie:NAME, claim:NAME or json:/POINTER.");
    }
}
