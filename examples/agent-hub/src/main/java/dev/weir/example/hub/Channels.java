package dev.weir.example.hub;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Channels that agents publish and subscribe to, with their latest messages. Confined to the hub's event loop. */
final class Channels {
    private static final int MOST = 1000;
    private static final int MOST_OF_ONE = 20;
    private static final int MOST_SUBSCRIPTIONS = 100;
    private static final int REMEMBERED = 20;

    private final Map<String, Channel> channels = new LinkedHashMap<>();

    private static final class Channel {
        private final String owner;
        private final Deque<JsonObject> latest = new ArrayDeque<>();
        private final Set<AgentSession> subscribers = new LinkedHashSet<>();

        private Channel(String owner) {
            this.owner = owner;
        }
    }

    void create(String name, String owner) {
        if (channels.containsKey(name)) {
            throw HubError.conflict("there is a channel of this name");
        }
        if (channels.size() >= MOST) {
            throw HubError.full("there are " + MOST + " channels; no more can be created");
        }
        if (channels.values().stream()
                        .filter(channel -> channel.owner.equals(owner))
                        .count()
                >= MOST_OF_ONE) {
            throw HubError.full("you have created " + MOST_OF_ONE + " channels, which is the most");
        }
        channels.put(name, new Channel(owner));
    }

    void subscribe(String name, AgentSession session) {
        Channel channel = get(name);
        if (channels.values().stream()
                        .filter(any -> any.subscribers.contains(session))
                        .count()
                >= MOST_SUBSCRIPTIONS) {
            throw HubError.full("you have subscribed to " + MOST_SUBSCRIPTIONS + " channels, which is the most");
        }
        channel.subscribers.add(session);
    }

    void unsubscribe(String name, AgentSession session) {
        get(name).subscribers.remove(session);
    }

    void left(AgentSession session) {
        channels.values().forEach(channel -> channel.subscribers.remove(session));
    }

    /**
     * Sends a message to all subscribers. A slow subscriber misses it, and finds it in the history.
     *
     * @return the number of subscribers that got it
     */
    int publish(String name, String from, String text) {
        Channel channel = get(name);
        JsonObject message = new JsonObject()
                .put("type", "channel_message")
                .put("channel", name)
                .put("from", from)
                .put("text", text);
        channel.latest.addLast(message);
        if (channel.latest.size() > REMEMBERED) {
            channel.latest.removeFirst();
        }
        return (int) List.copyOf(channel.subscribers).stream()
                .filter(session -> session.offer(message))
                .count();
    }

    JsonArray history(String name) {
        return new JsonArray(List.copyOf(get(name).latest));
    }

    JsonObject info(String name) {
        Channel channel = get(name);
        return new JsonObject()
                .put("channel", name)
                .put("owner", channel.owner)
                .put("subscribers", channel.subscribers.size());
    }

    List<String> names() {
        return List.copyOf(channels.keySet());
    }

    private Channel get(String name) {
        Channel channel = channels.get(name);
        if (channel == null) {
            throw HubError.notFound("there is no such channel");
        }
        return channel;
    }
}
