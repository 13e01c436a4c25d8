package dev.weir.spring.websocket;

import java.util.Map;
import org.springframework.http.server.ServerHttpRequest;

/** Knows who connects: a bean of this type adds attributes to those that the filter has found, such as the plan. */
@FunctionalInterface
public interface ConnectionAttributes {

    /** What is known of who sends this handshake. */
    Map<String, String> of(ServerHttpRequest handshake);
}
