package dev.weir.example.chat;

import dev.weir.binding.websocket.Connection;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The rooms and their users. A user is in one room at a time; it is an attribute of the connection, so limits can use
 * it.
 */
final class Rooms {
    private static final String LOBBY = "lobby";

    private final Map<String, Map<String, Connection>> members = new ConcurrentHashMap<>();

    void join(Connection connection, String room) {
        leave(connection);
        connection.attributes().put("room", room);
        members.computeIfAbsent(room, absent -> new ConcurrentHashMap<>()).put(connection.id(), connection);
    }

    /** Sends to all users in the sender's room, including the sender; a user without a room sends to itself only. */
    void tell(Connection speaker, String frame) {
        String room = speaker.attributes().getOrDefault("room", LOBBY);
        Collection<Connection> listeners = members.getOrDefault(room, Map.of()).values();
        for (Connection listener : listeners.isEmpty() ? List.of(speaker) : listeners) {
            listener.send(frame);
        }
    }

    void leave(Connection connection) {
        String room = connection.attributes().get("room");
        if (room != null) {
            members.computeIfPresent(room, (name, all) -> {
                all.remove(connection.id());
                return all.isEmpty() ? null : all;
            });
        }
    }
}
