package dev.weir.server;

import dev.weir.engine.config.AccessRole;
import org.jspecify.annotations.Nullable;

/** What a route needs of its caller. */
enum Need {
    /** Nothing: health checks call the server by any name. */
    NOTHING(null),
    /** The server's own name: pages and documents that hold no data. */
    NAME(null),
    /** A token of role {@code decide}, if tokens are required. */
    DECIDE(AccessRole.DECIDE),
    /** The same for forward auth, whose headers may be those of a client of the proxy. */
    AUTHORIZE(AccessRole.DECIDE),
    /** The same for a WebSocket, to whose handshake a browser adds no header. */
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

    Need(@Nullable AccessRole role) {
        this.role = role;
    }

    /** The role of the token that it takes, when it takes one; null if it never does. */
    @Nullable
    AccessRole role() {
        return role;
    }
}
