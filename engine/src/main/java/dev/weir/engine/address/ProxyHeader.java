package dev.weir.engine.address;

/** The header in which trusted proxies report addresses. */
public enum ProxyHeader {
    /**
     * Whichever is there. If both are, they must name the same client; if they do not, one of them may be the client's
     * own invention that a proxy passed on, nobody can tell which, and the client is the peer.
     */
    EITHER,
    /** RFC 7239's {@code Forwarded} only. */
    FORWARDED,
    /** {@code X-Forwarded-For} only. */
    X_FORWARDED_FOR
}
