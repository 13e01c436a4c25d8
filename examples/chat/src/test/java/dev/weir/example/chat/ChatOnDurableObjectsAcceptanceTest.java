package dev.weir.example.chat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.binding.websocket.Exceeding;
import dev.weir.engine.Weir;
import dev.weir.engine.WeirOptions;
import dev.weir.engine.config.Configuration;
import dev.weir.engine.config.ConfigurationReader;
import dev.weir.engine.guard.GuardOptions;
import dev.weir.fixture.WorkerProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two chat servers that share their limits in Durable Objects, on the real Workers runtime. */
@Tag("io")
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class ChatOnDurableObjectsAcceptanceTest {
    private static WorkerProcess worker;

    private final List<ChatServer> servers = new ArrayList<>();
    private ChatServer one;
    private ChatServer two;

    @BeforeAll
    static void startWorker() {
        worker = WorkerProcess.start();
    }

    @AfterAll
    static void stopWorker() {
        worker.close();
    }

    @BeforeEach
    void startChats() {
        Configuration ten = new ConfigurationReader(name -> null)
                .read("chat.yaml", "version: 1\nlimits: [{ name: messages, per: [user, type], rate: 10/hour }]")
                .orThrow();
        WeirOptions options = WeirOptions.defaults()
                .withStore(worker.uri() + "&timeout=30s")
                .withGuard(GuardOptions.defaults().withDeadline(Duration.ofMinutes(1)));
        one = start(Weir.open(ten, options));
        two = start(Weir.open(ten, options));
    }

    private ChatServer start(Weir weir) {
        ChatServer server = ChatServer.start("127.0.0.1", 0, weir, Exceeding.send(), exceeded -> {});
        servers.add(server);
        return server;
    }

    @AfterEach
    void close() {
        servers.forEach(ChatServer::close);
    }

    @Test
    void E4_serversThatShareDurableObjectsShareTheLimits() throws Exception {
        Person here = new Person(one, "X-User", "ann");
        Person there = new Person(two, "X-User", "ann");
        for (int i = 0; i < 8; i++) {
            here.say("Ping");
            there.say("Ping");
        }
        assertThat(here.count(8, "Pong") + there.count(8, "Pong")).isEqualTo(10);
        assertThat(new Person(two, "X-User", "bob").say("Ping").next()).contains("Pong");
    }

    @Test
    void E10_fifteenInParallelAgainstTenGetTen() throws Exception {
        List<Person> people = new ArrayList<>();
        for (int i = 0; i < 15; i++) {
            people.add(new Person(i % 2 == 0 ? one : two, "X-User", "eve"));
        }
        people.parallelStream().forEach(person -> person.say("Ping"));
        int pongs = 0;
        for (Person person : people) {
            pongs += person.count(1, "Pong");
        }
        assertThat(pongs).isEqualTo(10);
    }
}
