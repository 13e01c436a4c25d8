package dev.weir.example.hub;

import io.vertx.core.json.JsonObject;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A task, from its submission to its end. Confined to the hub's event loop. */
final class Task {
    enum State {
        WAITING,
        /** Assigned to an agent that has not yet accepted it. */
        ASSIGNED,
        RUNNING,
        DONE,
        FAILED
    }

    final long number;
    final String id;
    final String text;
    final String submitter;
    State state = State.WAITING;

    @Nullable
    String assignee;
    /** The last report of its agent: progress, result, or reason of failure. */
    @Nullable
    String note;

    int attempts;
    /** When it was assigned to its agent, or its agent was last connected. */
    long sinceNanos;

    Task(long number, String text, String submitter) {
        this.number = number;
        this.id = "t" + number;
        this.text = text;
        this.submitter = submitter;
    }

    String stateName() {
        return state.name().toLowerCase(Locale.ROOT);
    }

    JsonObject json() {
        return new JsonObject()
                .put("id", id)
                .put("text", text)
                .put("submitter", submitter)
                .put("state", stateName())
                .put("assignee", assignee)
                .put("attempts", attempts)
                .put("note", note);
    }
}
