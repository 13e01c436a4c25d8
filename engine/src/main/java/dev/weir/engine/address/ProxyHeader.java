package dev.weir.engine.address;

/**
 * The header in which trusted proxies report addresses; the value of {@code forward-auth.client-address}. Exactly one
 * is read: of two, a client may have sent one that a proxy passed on.
 */
public enum ProxyHeader {
    /** {@code X-Forwarded-For}. */
    X_FORWARDED_FOR("x-forwarded-for"),
    /** {@code Forwarded} of RFC 7239. */
    FORWARDED("forwarded");

    private final String text;

    ProxyHeader(String text) {
        this.text = text;
    }

    /** The name in a configuration: {@code x-forwarded-for}. */
    public String text() {
        return text;
    }

    @Override
    public String toString() {
        return text;
    }
}
