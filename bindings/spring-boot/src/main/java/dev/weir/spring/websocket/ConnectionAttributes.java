package dev.weir.spring.websocket;

import java.util.Map;
import org.springframework.http.server.ServerHttpRequest;

/** Provides attributes of connections: a bean of this type adds to those that the filter found, such as the plan. */
@FunctionalInterface
public interface ConnectionAttributes {

    /** Returns the attributes of the client that sent this handshake. */
    Map<String, String> of(ServerHttpRequest handshake);
}
