package dev.weir.example.hub;

import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Comparator;
import java.util.List;

/**
 * Assigns waiting tasks to agents that are idle and not throttled; the longest idle agent gets the first. An agent
 * continues a task that it has begun, throttled or not. Confined to the hub's event loop.
 */
final class Scheduler {
    private static final Logger LOG = System.getLogger(Hub.class.getName());

    private final Vertx vertx;
    private final HubOptions.Timeouts timeouts;
    private final HubLimits gate;
    private final Agents agents;
    private final TaskQueue tasks;
    private boolean looking;
    private boolean nextPass;

    Scheduler(Vertx vertx, HubOptions.Timeouts timeouts, HubLimits gate, Agents agents, TaskQueue tasks) {
        this.vertx = vertx;
        this.timeouts = timeouts;
        this.gate = gate;
        this.agents = agents;
        this.tasks = tasks;
    }

    /** Starts periodic passes. They are needed because no event marks the end of throttling. */
    void start() {
        vertx.setPeriodic(timeouts.schedule().toMillis(), tick -> {
            takeBack();
            schedule();
        });
    }

    /** Requests a pass after an event: a task was submitted, or an agent is idle. */
    void schedule() {
        if (looking) {
            nextPass = true;
            return;
        }
        List<AgentSession> idle = idle();
        if (idle.isEmpty() || !tasks.hasWaiting()) {
            return;
        }
        looking = true;
        // Off the event loop, as a call of a remote store blocks.
        vertx.executeBlocking(() -> gate.withoutThrottled(idle, AgentSession::agent), false)
                .onComplete(found -> {
                    looking = false;
                    if (found.succeeded()) {
                        found.result().forEach(this::assign);
                    } else {
                        LOG.log(Level.WARNING, "no work was given out", found.cause());
                    }
                    if (nextPass) {
                        nextPass = false;
                        schedule();
                    }
                });
    }

    private List<AgentSession> idle() {
        return agents.all().stream()
                .filter(this::isIdle)
                .sorted(Comparator.comparingLong(AgentSession::idleSinceNanos))
                .toList();
    }

    private boolean isIdle(AgentSession session) {
        return session.isReading() && !tasks.hasWork(session.agent());
    }

    /** Assigns a task, if the agent is still eligible: its state may have changed since the check. */
    private void assign(AgentSession session) {
        if (!tasks.hasWaiting() || agents.session(session.agent()) != session || !isIdle(session)) {
            return;
        }
        Task task = tasks.assign(session.agent(), System.nanoTime());
        session.offer(new JsonObject()
                .put("type", "task_assign")
                .put("task", task.id)
                .put("text", task.text)
                .put("submitter", task.submitter));
    }

    /** Takes tasks back from agents that do not accept them, and from disconnected agents that did not return. */
    private void takeBack() {
        long now = System.nanoTime();
        for (Task task : tasks.underWay()) {
            AgentSession worker = task.assignee == null ? null : agents.session(task.assignee);
            if (worker != null && task.state == Task.State.RUNNING) {
                task.sinceNanos = now;
            } else if (now - task.sinceNanos > (worker == null ? timeouts.absence() : timeouts.accept()).toNanos()) {
                tasks.giveBack(task);
                if (worker != null) {
                    worker.becomeIdle(); // Other agents get tasks first.
                }
            }
        }
    }
}
