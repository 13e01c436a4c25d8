package dev.weir.binding.websocket;

import java.time.Instant;
import java.util.Map;

/**
 * A message before its validation: everything that limits may use. The payload is not included.
 *
 * @param type the message's type
 * @param connection the connection's id
 * @param ip the client's address
 * @param data the attributes of the connection
 * @param receivedAt when the server received the message, by the server's clock
 */
public record Ingress(String type, String connection, String ip, Map<String, String> data, Instant receivedAt) {
    public Ingress {
        data = Map.copyOf(data);
    }
}
