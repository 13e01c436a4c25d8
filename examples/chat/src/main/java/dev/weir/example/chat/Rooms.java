package dev.weir.example.chat;

import dev.weir.binding.websocket.Connection;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Who is in which room. A person is in one at a time, which is an attribute of the connection: limits may look at it. */
final class Rooms {
    private static final String LOBBY = "lobby";

    private final Map<String, Map<String, Connection>> members = new ConcurrentHashMap<>();

    void join(Connection connection, String room) {
        leave(connection);
        connection.attributes().put("room", room);
        members.computeIfAbsent(room, absent -> new ConcurrentHashMap<>()).put(connection.id(), connection);
    }

    /** Everybody in the speaker's room, the speaker too; who is in none speaks to itself. */
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
