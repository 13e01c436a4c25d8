package dev.weir.binding.websocket;

import java.time.Instant;
import java.util.Map;

/**
 * What is known of a message before anybody has validated it: all that limits may look at. Its payload is not here.
 *
 * @param type the message's type
 * @param connection the connection's id
 * @param ip the client's address
 * @param data what is known of the connection
 * @param receivedAt when the server got it, by the server's clock
 */
public record Ingress(String type, String connection, String ip, Map<String, String> data, Instant receivedAt) {
    public Ingress {
        data = Map.copyOf(data);
    }
}
