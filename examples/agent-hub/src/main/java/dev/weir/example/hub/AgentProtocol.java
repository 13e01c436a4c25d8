package dev.weir.example.hub;

import dev.weir.StoreException;
import dev.weir.engine.PenaltyState;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/** Handles the admitted messages of agents. Confined to the hub's event loop. */
final class AgentProtocol {
    private final Vertx vertx;
    private final Services hub;

    AgentProtocol(Vertx vertx, Services hub) {
        this.vertx = vertx;
        this.hub = hub;
    }

    /** Returns the agent of a token; null if the token is not valid. */
    @Nullable
    String holder(Frame identify) {
        return hub.registry().holder(identify.text("token"));
    }

    /** Handles the successful identification of an agent. */
    void arrived(AgentSession session, Frame identify) {
        String agent = session.agent();
        AgentSession old = hub.agents().arrived(agent, session);
        if (old != null) {
            old.close(AgentSession.REPLACED, "you have identified yourself on another connection");
        }
        session.send(identify.answer("identified").put("agent", agent));
        hub.scheduler().schedule();
    }

    void left(String agent, AgentSession session) {
        hub.agents().left(agent, session);
        hub.channels().left(session);
    }

    /**
     * Executes an admitted message.
     *
     * @throws HubError if that is not possible
     */
    void handle(AgentSession session, Frame frame) {
        switch (frame.type()) {
            case "ping" -> session.send(frame.answer("pong"));
            case "status" -> status(session, frame);
            case "list_agents" ->
                session.send(frame.answer("agents").put("agents", hub.agents().names()));
            case "list_channels" ->
                session.send(
                        frame.answer("channels").put("channels", hub.channels().names()));
            case "channel_history" ->
                session.send(
                        frame.answer("history").put("messages", hub.channels().history(frame.text("channel"))));
            case "channel_subscribe" -> {
                hub.channels().subscribe(frame.text("channel"), session);
                session.send(frame.answer("subscribed"));
            }
            case "channel_unsubscribe" -> {
                hub.channels().unsubscribe(frame.text("channel"), session);
                session.send(frame.answer("unsubscribed"));
            }
            case "channel_publish" -> {
                int told = hub.channels().publish(frame.text("channel"), session.agent(), frame.text("text"));
                session.send(frame.answer("published").put("told", told));
            }
            case "message" -> {
                hub.agents().tell(frame.text("to"), session.agent(), frame.text("text"));
                session.send(frame.answer("sent"));
            }
            case "task_accepted", "task_recovering", "task_progress", "task_complete", "task_failed" ->
                report(session, frame);
            case "identify" -> throw HubError.conflict("you have identified yourself");
            default -> throw HubError.of(400, "unknown_type", "the hub has no messages of this type");
        }
    }

    private void report(AgentSession session, Frame frame) {
        String agent = session.agent();
        String id = frame.text("task");
        Task task = switch (frame.type()) {
            case "task_progress" -> hub.tasks().progress(agent, id, frame.text("text"));
            case "task_complete" -> hub.tasks().complete(agent, id, frame.text("text"));
            case "task_failed" -> hub.tasks().failed(agent, id, frame.text("text"));
            default -> hub.tasks().run(agent, id);
        };
        session.send(frame.answer("task").put("task", id).put("state", task.stateName()));
        if (!hub.tasks().hasWork(agent)) {
            session.becomeIdle();
            hub.scheduler().schedule();
        }
    }

    private void status(AgentSession session, Frame frame) {
        String agent = session.agent();
        EventLoopAnswers.then(vertx.getOrCreateContext(), hub.gate().penaltyState(agent), answer -> {
            JsonObject status = frame.answer("status")
                    .put("agent", agent)
                    .put("working", hub.tasks().hasWork(agent));
            try {
                PenaltyState penaltyState = answer.now();
                status.put("throttled", penaltyState.throttled())
                        .put("consecutive_violations", penaltyState.consecutiveViolations());
            } catch (StoreException e) {
                status.putNull("throttled");
            }
            session.send(status);
        });
    }
}
