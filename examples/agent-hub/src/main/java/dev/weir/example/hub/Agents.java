package dev.weir.example.hub;

import io.vertx.core.json.JsonObject;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The connected agents, with one session each. Confined to the hub's event loop. */
final class Agents {
    private final Map<String, AgentSession> sessions = new LinkedHashMap<>();

    /**
     * Adds the session of an identified agent. The newest session counts: an agent that reconnects may have an old one
     * whose loss was not detected.
     *
     * @return the previous session of the agent; null if there was none
     */
    @Nullable
    AgentSession arrived(String agent, AgentSession session) {
        AgentSession old = sessions.remove(agent);
        sessions.put(agent, session);
        return old;
    }

    /** Removes a session, unless its agent has a newer one. */
    void left(String agent, AgentSession session) {
        sessions.remove(agent, session);
    }

    @Nullable
    AgentSession session(String agent) {
        return sessions.get(agent);
    }

    /**
     * Forwards a message.
     *
     * @throws HubError if the receiver is not connected, or is slow
     */
    void tell(String to, String from, String text) {
        AgentSession receiver = sessions.get(to);
        if (receiver == null) {
            throw HubError.notFound("no agent of this name is connected");
        }
        boolean taken = receiver.offer(
                new JsonObject().put("type", "message").put("from", from).put("text", text));
        if (!taken) {
            throw HubError.full("this agent does not read what it is sent; try again later");
        }
    }

    Collection<AgentSession> all() {
        return List.copyOf(sessions.values());
    }

    List<String> names() {
        return List.copyOf(sessions.keySet());
    }
}
