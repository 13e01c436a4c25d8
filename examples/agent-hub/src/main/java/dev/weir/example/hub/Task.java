package dev.weir.example.hub;

import io.vertx.core.json.JsonObject;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A piece of work, from its submission to its end. Belongs to the hub's event loop. */
final class Task {
    enum State {
        WAITING,
        /** Given to an agent that has not yet accepted it. */
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
    /** What its agent said last: its progress, its result, or why it failed. */
    @Nullable
    String note;

    int attempts;
    /** When it was given to its agent, or its agent was last seen. */
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
