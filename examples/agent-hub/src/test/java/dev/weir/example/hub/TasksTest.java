package dev.weir.example.hub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.spi.settings.SettingsChange;
import dev.weir.spi.settings.Subject;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The life of tasks, over real sockets. */
@Tag("io")
class TasksTest {
    private static final Duration LONG = Duration.ofSeconds(90);
    private static final Duration SHORT = Duration.ofMillis(300);

    private TestHub hub = start(LONG, LONG);

    private static TestHub start(Duration accept, Duration absence) {
        return TestHub.start(new HubOptions.Timeouts(LONG, LONG, LONG, Duration.ofMillis(20), accept, absence));
    }

    private void restart(Duration accept, Duration absence) {
        hub.close();
        hub = start(accept, absence);
    }

    @AfterEach
    void stop() {
        hub.close();
    }

    private HttpResponse<String> submit(String token) {
        return hub.post("/api/tasks", token, new JsonObject().put("text", "work"));
    }

    private String id(HttpResponse<String> submitted) {
        assertThat(submitted.statusCode()).isEqualTo(202);
        return new JsonObject(submitted.body()).getString("id");
    }

    private JsonObject task(String id, String token) {
        return new JsonObject(hub.get("/api/tasks/" + id, token).body());
    }

    /** Exempts the agent, so that only the hub's own bounds apply. */
    private void exempt(String agent) {
        hub.weir.change(new SettingsChange.AddExempt("test", hub.clock.wall(), new Subject("agent", agent)));
    }

    @Test
    void task_goesFromItsSubmitterToAnAgentAndIsDone() {
        String submitter = hub.token("submitter");
        TestAgent worker = hub.agent("worker");
        String id = id(submit(submitter));
        JsonObject assigned = worker.next("task_assign");
        assertThat(assigned.getString("task")).isEqualTo(id);
        assertThat(assigned.getString("text")).isEqualTo("work");
        assertThat(assigned.getString("submitter")).isEqualTo("submitter");
        assertThat(worker.ask("task_accepted", "task", id).getString("state")).isEqualTo("running");
        worker.ask("task_progress", "task", id, "text", "half");
        assertThat(task(id, submitter).getString("note")).isEqualTo("half");
        worker.ask("task_complete", "task", id, "text", "result");
        JsonObject done = task(id, submitter);
        assertThat(done.getString("state")).isEqualTo("done");
        assertThat(done.getString("note")).isEqualTo("result");
        assertThat(done.getString("assignee")).isEqualTo("worker");
        assertThat(hub.get("/api/tasks", submitter).body()).contains("{\"id\":\"" + id + "\",\"state\":\"done\"}");
    }

    @Test
    void taskOfAnother_isNobodyElsesBusiness() {
        String submitter = hub.token("submitter");
        String stranger = hub.token("stranger");
        TestAgent other = hub.agent("other");
        TestAgent worker = hub.agent("worker");
        String first = id(submit(submitter));
        other.next("task_assign");
        String second = id(submit(submitter));
        worker.next("task_assign");
        assertThat(other.ask("task_complete", "task", second, "text", "mine").getString("error"))
                .isEqualTo("conflict");
        assertThat(hub.get("/api/tasks/" + first, stranger).statusCode()).isEqualTo(404);
    }

    @Test
    void task_thatFails_isTriedByOthersThreeTimesInAll() {
        String submitter = hub.token("submitter");
        TestAgent worker = hub.agent("worker");
        String id = id(submit(submitter));
        for (int i = 0; i < 3; i++) {
            assertThat(worker.next("task_assign").getString("task")).isEqualTo(id);
            worker.ask("task_accepted", "task", id);
            worker.say(TestAgent.frame("task_failed", "task", id, "text", "no").encode());
        }
        await().until(() -> task(id, submitter).getString("state").equals("failed"));
        assertThat(task(id, submitter).getString("note")).isEqualTo("no");
    }

    @Test
    void task_thatIsNotAccepted_goesToAnother() {
        restart(SHORT, LONG);
        String submitter = hub.token("submitter");
        TestAgent deaf = hub.agent("deaf");
        String id = id(submit(submitter));
        assertThat(deaf.next("task_assign").getString("task")).isEqualTo(id);
        TestAgent worker = hub.agent("worker");
        assertThat(worker.next("task_assign").getString("task")).isEqualTo(id);
    }

    @Test
    void agent_thatComesBackInTime_goesOnWithItsTask() {
        String submitter = hub.token("submitter");
        String token = hub.token("worker");
        TestAgent worker = hub.identified(token);
        String id = id(submit(submitter));
        worker.next("task_assign");
        worker.ask("task_accepted", "task", id);
        worker.abort();
        TestAgent again = hub.identified(token);
        assertThat(again.ask("task_recovering", "task", id).getString("state")).isEqualTo("running");
        assertThat(again.ask("task_complete", "task", id, "text", "done").getString("state"))
                .isEqualTo("done");
    }

    @Test
    void agent_thatDoesNotComeBack_losesItsTask() {
        restart(LONG, SHORT);
        String submitter = hub.token("submitter");
        TestAgent worker = hub.agent("worker");
        String id = id(submit(submitter));
        worker.next("task_assign");
        worker.ask("task_accepted", "task", id);
        worker.abort();
        await().until(() -> task(id, submitter).getString("state").equals("waiting"));
        assertThat(hub.agent("other").next("task_assign").getString("task")).isEqualTo(id);
    }

    @Test
    void queue_isBoundedForOneAndForAll() {
        for (int i = 0; i < 10; i++) {
            String token = hub.token("flood" + i);
            exempt("flood" + i);
            for (int j = 0; j < TaskQueue.MOST_WAITING_OF_ONE; j++) {
                assertThat(submit(token).statusCode()).isEqualTo(202);
            }
            assertThat(submit(token).statusCode()).as("one more of one").isEqualTo(503);
        }
        assertThat(submit(hub.token("honest")).statusCode())
                .as("one more in all")
                .isEqualTo(503);
        TestAgent worker = hub.agent("worker");
        String id = worker.next("task_assign").getString("task");
        worker.ask("task_complete", "task", id, "text", "done");
        worker.next("task_assign");
        assertThat(submit(hub.token("honest2")).statusCode()).isEqualTo(202);
    }
}
