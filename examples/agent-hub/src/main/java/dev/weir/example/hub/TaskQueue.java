package dev.weir.example.hub;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All tasks: waiting ones in order, those in progress, and the latest ended ones. Each kind is bounded. An agent has
 * one task at a time. Confined to the hub's event loop.
 */
final class TaskQueue {
    static final int MOST_WAITING = 1000;
    static final int MOST_WAITING_OF_ONE = 100;
    private static final int MOST_ENDED = 1000;
    private static final int MOST_ATTEMPTS = 3;
    private static final int MOST_SHOWN = 100;

    private final Map<String, Task> all = new HashMap<>();
    private final Deque<Task> waiting = new ArrayDeque<>();
    /** The number of waiting tasks by submitting agent. */
    private final Map<String, Integer> waitingOf = new HashMap<>();
    /** Tasks in progress, by agent. */
    private final Map<String, Task> underWay = new LinkedHashMap<>();

    private final Deque<Task> ended = new ArrayDeque<>();
    private long submitted;

    /**
     * Appends a task.
     *
     * @throws HubError if too many tasks wait
     */
    Task submit(String submitter, String text) {
        if (waiting.size() >= MOST_WAITING) {
            throw HubError.full(MOST_WAITING + " tasks wait; try again later");
        }
        if (waitingOf.getOrDefault(submitter, 0) >= MOST_WAITING_OF_ONE) {
            throw HubError.full(MOST_WAITING_OF_ONE + " tasks of yours wait; try again later");
        }
        submitted++;
        Task task = new Task(submitted, text, submitter);
        all.put(task.id, task);
        waiting.addLast(task);
        waitingOf.merge(submitter, 1, Integer::sum);
        return task;
    }

    boolean hasWaiting() {
        return !waiting.isEmpty();
    }

    boolean hasWork(String agent) {
        return underWay.containsKey(agent);
    }

    /** Assigns the first waiting task to an agent that has none. */
    Task assign(String agent, long nowNanos) {
        Task task = waiting.removeFirst();
        waitingOf.computeIfPresent(task.submitter, (name, count) -> count == 1 ? null : count - 1);
        task.state = Task.State.ASSIGNED;
        task.assignee = agent;
        task.sinceNanos = nowNanos;
        underWay.put(agent, task);
        return task;
    }

    /** Marks the task as running: the agent has accepted it, or has reconnected and continues. */
    Task run(String agent, String id) {
        Task task = of(agent, id);
        begin(task);
        return task;
    }

    Task progress(String agent, String id, String note) {
        Task task = run(agent, id);
        task.note = note;
        return task;
    }

    Task complete(String agent, String id, String result) {
        return end(run(agent, id), Task.State.DONE, result);
    }

    /** Handles a failure. Another agent may try, unless several have. */
    Task failed(String agent, String id, String reason) {
        return giveBack(progress(agent, id, reason));
    }

    /** Takes a task from its agent: back to the front of the queue, or to its end state after too many attempts. */
    Task giveBack(Task task) {
        if (task.attempts >= MOST_ATTEMPTS) {
            return end(task, Task.State.FAILED, task.note);
        }
        release(task);
        task.state = Task.State.WAITING;
        task.assignee = null;
        waiting.addFirst(task);
        waitingOf.merge(task.submitter, 1, Integer::sum);
        return task;
    }

    /** The tasks in progress. */
    List<Task> underWay() {
        return List.copyOf(underWay.values());
    }

    Task get(String id) {
        Task task = all.get(id);
        if (task == null) {
            throw HubError.notFound("there is no such task, or it ended long ago");
        }
        return task;
    }

    /** Returns the latest tasks of a submitter, newest first. */
    List<Task> latestOf(String submitter) {
        return all.values().stream()
                .filter(task -> task.submitter.equals(submitter))
                .sorted(Comparator.comparingLong((Task task) -> task.number).reversed())
                .limit(MOST_SHOWN)
                .toList();
    }

    int waiting() {
        return waiting.size();
    }

    int ended() {
        return ended.size();
    }

    private Task of(String agent, String id) {
        Task task = underWay.get(agent);
        if (task == null || !task.id.equals(id)) {
            throw HubError.conflict("this is not a task of yours");
        }
        return task;
    }

    /** Counts an attempt. Only an agent that reports on a task counts: a silent one must not use up the attempts. */
    private static void begin(Task task) {
        if (task.state == Task.State.ASSIGNED) {
            task.state = Task.State.RUNNING;
            task.attempts++;
        }
    }

    private Task end(Task task, Task.State state, @Nullable String note) {
        release(task);
        task.state = state;
        task.note = note;
        ended.addLast(task);
        if (ended.size() > MOST_ENDED) {
            all.remove(ended.removeFirst().id);
        }
        return task;
    }

    private void release(Task task) {
        if (task.assignee != null) {
            underWay.remove(task.assignee);
        }
    }
}
