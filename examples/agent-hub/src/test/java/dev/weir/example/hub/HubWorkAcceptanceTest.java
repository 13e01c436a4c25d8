package dev.weir.example.hub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Reference system A end to end: assignment of tasks. */
@Tag("io")
class HubWorkAcceptanceTest {
    private final TestHub hub = TestHub.start();

    @AfterEach
    void stop() {
        hub.close();
    }

    private String submit(String token) {
        return new JsonObject(hub.post("/api/tasks", token, new JsonObject().put("text", "work"))
                        .body())
                .getString("id");
    }

    private JsonObject task(String id, String token) {
        return new JsonObject(hub.get("/api/tasks/" + id, token).body());
    }

    /** Makes an agent violate its limit of light messages, which needs no task and no time. */
    private static void violate(TestAgent agent) {
        assertThat(agent.admitted(121, "ping")).isEqualTo(120);
    }

    @Test
    void A8_anAgentIsThrottledWhileItHasConsecutiveViolationsAndThatClearsByItself() {
        String token = hub.token("greedy");
        TestAgent greedy = hub.identified(token);
        assertThat(greedy.ask("status").getBoolean("throttled")).isFalse();
        hub.clock.advance(Duration.ofMinutes(1));
        violate(greedy);
        assertThat(hub.weir.penaltyState("greedy").throttled()).isTrue();

        hub.clock.advance(Duration.ofMillis(59_999));
        JsonObject status = greedy.answerTo("status");
        assertThat(status.getBoolean("throttled")).isTrue();
        assertThat(status.getInteger("consecutive_violations")).isEqualTo(1);

        hub.clock.advance(Duration.ofMillis(1));
        status = greedy.answerTo("status");
        assertThat(status.getBoolean("throttled")).isFalse();
        assertThat(status.getInteger("consecutive_violations")).isZero();
    }

    @Test
    void A8_theSchedulerGivesWorkToOthersInstead() {
        String submitter = hub.token("submitter");
        TestAgent greedy = hub.agent("greedy");
        TestAgent calm = hub.agent("calm");
        violate(greedy);

        String first = submit(submitter);
        assertThat(calm.next("task_assign").getString("task"))
                .as("though the other has been idle for longer")
                .isEqualTo(first);
        String second = submit(submitter);
        awaitThatItWaits(second, submitter);
        calm.ask("task_complete", "task", first, "text", "done");
        assertThat(calm.next("task_assign").getString("task")).isEqualTo(second);
        assertThat(greedy.hasHeardMore()).isFalse();
    }

    /** Waits until the scheduler has run several passes and found no agent. */
    private void awaitThatItWaits(String id, String submitter) {
        await().during(Duration.ofMillis(200))
                .until(() -> task(id, submitter).getString("state").equals("waiting"));
    }

    @Test
    void A8_aThrottledAgentGetsWorkAgainWhenItIsQuiet() {
        String submitter = hub.token("submitter");
        TestAgent greedy = hub.agent("greedy");
        violate(greedy);
        String waiting = submit(submitter);
        hub.clock.advance(Duration.ofMillis(59_999));
        awaitThatItWaits(waiting, submitter);
        hub.clock.advance(Duration.ofMillis(1));
        assertThat(greedy.next("task_assign").getString("task"))
                .as("nobody told the scheduler")
                .isEqualTo(waiting);
    }

    @Test
    void A8_runningWorkGoesOn() {
        String submitter = hub.token("submitter");
        TestAgent greedy = hub.agent("greedy");
        String running = submit(submitter);
        assertThat(greedy.next("task_assign").getString("task")).isEqualTo(running);
        greedy.ask("task_accepted", "task", running);
        violate(greedy);
        String next = submit(submitter);

        assertThat(hub.weir.penaltyState("greedy").throttled()).isTrue();
        assertThat(greedy.ask("task_progress", "task", running, "text", "half").getString("state"))
                .isEqualTo("running");
        assertThat(task(running, submitter).getString("assignee")).isEqualTo("greedy");
        assertThat(greedy.ask("task_complete", "task", running, "text", "all").getString("state"))
                .isEqualTo("done");
        assertThat(task(running, submitter).getString("note")).isEqualTo("all");
        awaitThatItWaits(next, submitter);
        assertThat(greedy.hasHeardMore()).as("but it gets nothing new").isFalse();
    }

    @Test
    void A8_candidatesAreFilteredInOneLine() {
        TestAgent greedy = hub.agent("greedy");
        hub.agent("calm");
        violate(greedy);
        assertThat(hub.weir.withoutThrottled(List.of("greedy", "calm"), agent -> agent))
                .containsExactly("calm");
    }
}
