package dev.weir.server.http;

import dev.weir.engine.access.AccessRole;
import org.jspecify.annotations.Nullable;

/** What a route requires of its caller. */
public enum RouteAccess {
    /** Nothing: health checks may use any host name. */
    NOTHING(null),
    /** An allowed host name: pages and documents without data. */
    NAME(null),
    /** A token of role {@code decide}, if tokens are required. */
    DECIDE(AccessRole.DECIDE),
    /** Like {@link #DECIDE}, for forward auth, whose headers may come from a client of the proxy. */
    AUTHORIZE(AccessRole.DECIDE),
    /** Like {@link #DECIDE}, for a WebSocket: browsers cannot add a header to its handshake. */
    SOCKET(AccessRole.DECIDE),
    /** A token of role {@code read}, if there is a token file or tokens are required. */
    READ(AccessRole.READ),
    /** A token of role {@code read}, always. */
    ADMIN_READ(AccessRole.READ),
    /** A token of role {@code operate}, always. */
    OPERATE(AccessRole.OPERATE),
    /** A token of role {@code admin}, always. */
    ADMIN(AccessRole.ADMIN);

    private final @Nullable AccessRole role;

    RouteAccess(@Nullable AccessRole role) {
        this.role = role;
    }

    /** Returns the role that a token must have, if the route takes one; null if it never does. */
    @Nullable
    AccessRole role() {
        return role;
    }
}
