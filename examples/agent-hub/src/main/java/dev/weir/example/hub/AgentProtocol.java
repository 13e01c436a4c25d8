package dev.weir.example.hub;

import dev.weir.StoreException;
import dev.weir.engine.Standing;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/** What each message of an agent does, once it is admitted. Belongs to the hub's event loop. */
final class AgentProtocol {
    private final Vertx vertx;
    private final Gate gate;
    private final Registry registry;
    private final Agents agents;
    private final Channels channels;
    private final TaskQueue tasks;
    private final Scheduler scheduler;

    AgentProtocol(
            Vertx vertx,
            Gate gate,
            Registry registry,
            Agents agents,
            Channels channels,
            TaskQueue tasks,
            Scheduler scheduler) {
        this.vertx = vertx;
        this.gate = gate;
        this.registry = registry;
        this.agents = agents;
        this.channels = channels;
        this.tasks = tasks;
        this.scheduler = scheduler;
    }

    /** Whose token an agent identifies itself by; null if it is nobody's. */
    @Nullable
    String holder(Frame identify) {
        return registry.holder(identify.text("token"));
    }

    /** An agent has proved who it is. */
    void arrived(AgentSession session, Frame identify) {
        String agent = session.agent();
        AgentSession old = agents.arrived(agent, session);
        if (old != null) {
            old.close(AgentSession.REPLACED, "you have identified yourself on another connection");
        }
        session.send(identify.answer("identified").put("agent", agent));
        scheduler.schedule();
    }

    void left(String agent, AgentSession session) {
        agents.left(agent, session);
        channels.left(session);
    }

    /**
     * Does what an admitted message asks for.
     *
     * @throws Problem if it cannot be done
     */
    void handle(AgentSession session, Frame frame) {
        switch (frame.type()) {
            case "ping" -> session.send(frame.answer("pong"));
            case "status" -> status(session, frame);
            case "list_agents" -> session.send(frame.answer("agents").put("agents", agents.names()));
            case "list_channels" -> session.send(frame.answer("channels").put("channels", channels.names()));
            case "channel_history" ->
                session.send(frame.answer("history").put("messages", channels.history(frame.text("channel"))));
            case "channel_subscribe" -> {
                channels.subscribe(frame.text("channel"), session);
                session.send(frame.answer("subscribed"));
            }
            case "channel_unsubscribe" -> {
                channels.unsubscribe(frame.text("channel"), session);
                session.send(frame.answer("unsubscribed"));
            }
            case "channel_publish" -> {
                int told = channels.publish(frame.text("channel"), session.agent(), frame.text("text"));
                session.send(frame.answer("published").put("told", told));
            }
            case "message" -> {
                agents.tell(frame.text("to"), session.agent(), frame.text("text"));
                session.send(frame.answer("sent"));
            }
            case "task_accepted", "task_recovering", "task_progress", "task_complete", "task_failed" ->
                report(session, frame);
            case "identify" -> throw Problem.conflict("you have identified yourself");
            default -> throw Problem.of(400, "unknown_type", "the hub knows no messages of this type");
        }
    }

    private void report(AgentSession session, Frame frame) {
        String agent = session.agent();
        String id = frame.text("task");
        Task task = switch (frame.type()) {
            case "task_progress" -> tasks.progress(agent, id, frame.text("text"));
            case "task_complete" -> tasks.complete(agent, id, frame.text("text"));
            case "task_failed" -> tasks.failed(agent, id, frame.text("text"));
            default -> tasks.run(agent, id);
        };
        session.send(frame.answer("task").put("task", id).put("state", task.stateName()));
        if (!tasks.hasWork(agent)) {
            session.becomeIdle();
            scheduler.schedule();
        }
    }

    private void status(AgentSession session, Frame frame) {
        String agent = session.agent();
        Later.then(vertx.getOrCreateContext(), gate.standing(agent), answer -> {
            JsonObject status = frame.answer("status").put("agent", agent).put("working", tasks.hasWork(agent));
            try {
                Standing standing = answer.now();
                status.put("throttled", standing.throttled())
                        .put("consecutive_violations", standing.consecutiveViolations());
            } catch (StoreException e) {
                status.putNull("throttled");
            }
            session.send(status);
        });
    }
}
