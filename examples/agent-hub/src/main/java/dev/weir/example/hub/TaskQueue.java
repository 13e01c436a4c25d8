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
 * All tasks: those that wait, in their order, those that an agent has, and the latest that have ended. Each kind is
 * bounded. An agent has one task at a time. Belongs to the hub's event loop.
 */
final class TaskQueue {
    static final int MOST_WAITING = 1000;
    static final int MOST_WAITING_OF_ONE = 100;
    private static final int MOST_ENDED = 1000;
    private static final int MOST_ATTEMPTS = 3;
    private static final int MOST_SHOWN = 100;

    private final Map<String, Task> all = new HashMap<>();
    private final Deque<Task> waiting = new ArrayDeque<>();
    /** How many of each agent's tasks wait. */
    private final Map<String, Integer> waitingOf = new HashMap<>();
    /** By the agents that have them. */
    private final Map<String, Task> underWay = new LinkedHashMap<>();

    private final Deque<Task> ended = new ArrayDeque<>();
    private long submitted;

    /**
     * Puts a task at the end.
     *
     * @throws Problem if too many wait
     */
    Task submit(String submitter, String text) {
        if (waiting.size() >= MOST_WAITING) {
            throw Problem.full(MOST_WAITING + " tasks wait; try again later");
        }
        if (waitingOf.getOrDefault(submitter, 0) >= MOST_WAITING_OF_ONE) {
            throw Problem.full(MOST_WAITING_OF_ONE + " tasks of yours wait; try again later");
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

    /** Gives the first that waits to an agent that has none. */
    Task assign(String agent, long nowNanos) {
        Task task = waiting.removeFirst();
        waitingOf.computeIfPresent(task.submitter, (name, count) -> count == 1 ? null : count - 1);
        task.state = Task.State.ASSIGNED;
        task.assignee = agent;
        task.sinceNanos = nowNanos;
        underWay.put(agent, task);
        return task;
    }

    /** The agent has begun, or has come back and goes on. */
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

    /** Another may try, unless several have. */
    Task failed(String agent, String id, String reason) {
        return giveBack(progress(agent, id, reason));
    }

    /** Takes a task from its agent: back to the front of the queue, or to its end if too many have tried. */
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

    /** Those that an agent has. */
    List<Task> underWay() {
        return List.copyOf(underWay.values());
    }

    Task get(String id) {
        Task task = all.get(id);
        if (task == null) {
            throw Problem.notFound("there is no such task, or it ended long ago");
        }
        return task;
    }

    /** The latest that an agent has submitted, newest first. */
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
            throw Problem.conflict("this is not a task of yours");
        }
        return task;
    }

    /** Only who says something about a task has tried it: one that is silent must not use up the attempts of others. */
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
