package dev.weir.engine.config;

import java.util.List;
import java.util.stream.Stream;

/** The attributes that have a meaning in bindings. Requests may have any others as well. */
public final class WellKnownAttributes {
    /** The attributes that identify the client, the most specific first. */
    public static final List<String> SUBJECTS =
            List.of("agent", "user", "customer", "device", "connection", "ip", "tenant");

    /** All well-known attributes. */
    public static final List<String> NAMES = Stream.concat(
                    SUBJECTS.stream(), Stream.of("plan", "channel", "method", "path", "action", "type", "room"))
            .toList();

    private WellKnownAttributes() {}
}
