package dev.weir.engine.config;

import java.util.List;

/** The attributes that have a meaning to bindings. Requests may have any others as well. */
public final class WellKnownAttributes {
    public static final List<String> NAMES = List.of(
            "ip",
            "user",
            "tenant",
            "plan",
            "agent",
            "customer",
            "device",
            "connection",
            "channel",
            "method",
            "path",
            "action",
            "type",
            "room");

    private WellKnownAttributes() {}
}
