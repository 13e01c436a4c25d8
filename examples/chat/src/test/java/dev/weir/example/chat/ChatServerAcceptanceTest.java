package dev.weir.example.chat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.binding.websocket.Exceeding;
import dev.weir.binding.websocket.LimitExceeded;
import dev.weir.engine.Weir;
import dev.weir.engine.WeirOptions;
import dev.weir.engine.config.Configuration;
import dev.weir.engine.config.ConfigurationException;
import dev.weir.engine.config.ConfigurationReader;
import dev.weir.engine.guard.GuardOptions;
import dev.weir.engine.settings.InMemorySettings;
import dev.weir.fixture.RedisProcess;
import dev.weir.memory.MemoryStore;
import dev.weir.memory.MemoryStoreOptions;
import dev.weir.testkit.FakeClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Reference system E as an application: a chat on the WebSocket pipeline, over real sockets. */
@Tag("io")
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class ChatServerAcceptanceTest {
    private static final String COMPUTE = "{\"type\":\"ComputePrimes\",\"payload\":{\"upTo\":10}}";

    private final FakeClock clock = new FakeClock();
    private final List<LimitExceeded> told = new CopyOnWriteArrayList<>();
    private final List<ChatServer> servers = new ArrayList<>();

    @AfterEach
    void close() {
        servers.forEach(ChatServer::close);
    }

    private static Configuration preset() {
        return new ConfigurationReader(name -> null).preset("chat").orThrow();
    }

    private static Configuration yaml(String limits) {
        return new ConfigurationReader(name -> null)
                .read("chat.yaml", "version: 1\n" + limits)
                .orThrow();
    }

    /** Starts on the memory store, with a clock that the test advances. */
    private ChatServer start(Configuration configuration) {
        return start(configuration, Exceeding.send());
    }

    private ChatServer start(Configuration configuration, Exceeding exceeding) {
        MemoryStore store = MemoryStore.create(MemoryStoreOptions.defaults().timeSource(clock));
        return start(Weir.of(configuration, store, new InMemorySettings()), exceeding);
    }

    private ChatServer start(Weir weir, Exceeding exceeding) {
        ChatServer server = ChatServer.start("127.0.0.1", 0, weir, exceeding, told::add);
        servers.add(server);
        return server;
    }

    @Test
    void E1_everyMessageIsCountedOnce_andTheEndReleasesAll() throws Exception {
        ChatServer chat = start(yaml("limits: [{ name: messages, per: [user], rate: 10/hour }]"));
        List<CompletableFuture<Integer>> counts = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Person ann = new Person(chat, "X-User", "ann");
            counts.add(CompletableFuture.supplyAsync(() -> {
                for (int n = 0; n < 8; n++) {
                    ann.say("Ping");
                }
                try {
                    return ann.count(8, "Pong");
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }));
        }
        int pongs = 0;
        for (CompletableFuture<Integer> count : counts) {
            pongs += count.get();
        }
        assertThat(pongs).isEqualTo(10);
        chat.close();
        servers.clear();
        assertThat(chat.connections()).isZero();
    }

    @Test
    void E2_aPolicyThatCannotBeIsRefusedAtTheStart() {
        assertThatThrownBy(() -> yaml("limits: [{ name: m, per: [], rate: 5/s, burst: 0 }]"))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("burst");
        assertThatThrownBy(() -> yaml("limits: [{ name: m, per: [], rate: -1/s }]"))
                .isInstanceOf(ConfigurationException.class);
    }

    @Test
    void E3_aRefusalTellsTheWaitOrThatThereIsNone() throws Exception {
        ChatServer chat = start(yaml("limits: [{ name: m, match: { type: Ping }, per: [user], rate: 1/s, burst: 2 },"
                + " { name: never, match: { type: Join }, per: [user], rate: 1/s, burst: 2, cost: 3 }]"));
        Person ann = new Person(chat, "X-User", "ann").say("Ping").say("Ping").say("Ping");
        assertThat(ann.count(2, "Pong")).isEqualTo(2);
        assertThat(ann.next()).contains("\"retryAfterMs\":1000");
        assertThat(ann.say("Join").next()).contains("FAILED_PRECONDITION").doesNotContain("retryAfterMs");
        clock.advance(Duration.ofSeconds(1));
        assertThat(ann.say("Ping").next()).contains("Pong");
    }

    @Test
    void E4_serversThatShareARedisShareTheLimits() throws Exception {
        try (RedisProcess redis = RedisProcess.start()) {
            WeirOptions options = WeirOptions.defaults()
                    .withStore(redis.uri() + "?timeout=30s")
                    .withGuard(GuardOptions.defaults().withDeadline(Duration.ofMinutes(1)));
            Configuration ten = yaml("limits: [{ name: messages, per: [user, type], rate: 10/hour }]");
            ChatServer one = start(Weir.open(ten, options), Exceeding.send());
            ChatServer two = start(Weir.open(ten, options), Exceeding.send());
            Person here = new Person(one, "X-User", "ann");
            Person there = new Person(two, "X-User", "ann");
            for (int i = 0; i < 8; i++) {
                here.say("Ping");
                there.say("Ping");
            }
            assertThat(here.count(8, "Pong") + there.count(8, "Pong")).isEqualTo(10);
            servers.forEach(ChatServer::close);
            servers.clear();
        }
    }

    @Test
    void E5_keysAreTenantUserOrAddressAndType() throws Exception {
        ChatServer chat = start(preset());
        Person ann = new Person(chat, "X-User", "ann");
        for (int i = 0; i < 3; i++) {
            ann.send(COMPUTE);
        }
        assertThat(ann.count(3, "RESOURCE_EXHAUSTED")).isEqualTo(1);
        Person elsewhere = new Person(chat, "X-User", "ann", "X-Tenant", "other");
        assertThat(elsewhere.send(COMPUTE).next()).contains("Primes");
        Person nobody = new Person(chat);
        assertThat(nobody.send(COMPUTE).next()).contains("\"count\":4");
        Person alsoNobody = new Person(chat);
        assertThat(alsoNobody.send(COMPUTE).next()).contains("Primes");
        // Two clients without a name share the budget of their address.
        assertThat(alsoNobody.send(COMPUTE).next()).contains("RESOURCE_EXHAUSTED");
        assertThat(ann.say("Ping").next()).contains("Pong");
    }

    @Test
    void E6_whatAMessageSaysOfItselfCountsForNothing() throws Exception {
        ChatServer chat = start(yaml("limits: [{ name: m, per: [user], rate: 2/hour }]"));
        Person ann = new Person(chat, "X-User", "ann");
        for (int i = 0; i < 3; i++) {
            ann.send("{\"type\":\"Ping\",\"user\":\"u" + i + "\",\"payload\":{\"user\":\"u" + i + "\"},\"cost\":0}");
        }
        assertThat(ann.count(3, "RESOURCE_EXHAUSTED")).isEqualTo(1);
    }

    @Test
    void E7_refusalsAreSentOrCloseOrAreTheApplications() throws Exception {
        Configuration one = yaml("limits: [{ name: m, per: [user], rate: 1/min }]");
        Person sent = new Person(start(one), "X-User", "ann").say("Ping");
        assertThat(sent.next()).contains("Pong");
        assertThat(sent.send("{\"type\":\"Ping\",\"id\":\"7\"}").next())
                .isEqualTo("{\"type\":\"ERROR\",\"meta\":{\"correlationId\":\"7\"},\"payload\":{\"code\":"
                        + "\"RESOURCE_EXHAUSTED\",\"message\":\"Rate limit exceeded\",\"retryable\":true,"
                        + "\"retryAfterMs\":60000}}");

        Person closed = new Person(start(one, Exceeding.close()), "X-User", "ann")
                .say("Ping")
                .say("Ping");
        assertThat(closed.closed.get(90, TimeUnit.SECONDS)).isEqualTo(1013);

        Exceeding custom = Exceeding.custom((exceeded, connection) -> connection.send("slower, please"));
        Person own = new Person(start(one, custom), "X-User", "ann").say("Ping").say("Ping");
        assertThat(own.next()).contains("Pong");
        assertThat(own.next()).isEqualTo("slower, please");
    }

    @Test
    void E8_theHookIsToldOnceOfEach() throws Exception {
        ChatServer chat = start(yaml("limits: [{ name: m, per: [user], rate: 5/min }]"));
        Person ann = new Person(chat, "X-User", "ann");
        for (int i = 0; i < 25; i++) {
            ann.say("Ping");
        }
        assertThat(ann.count(25, "RESOURCE_EXHAUSTED")).isEqualTo(20);
        ann.send("{\"type\":\"Say\",\"payload\":{\"text\":\"" + "x".repeat(5000) + "\"}}");
        assertThat(ann.next()).contains("4096 bytes");
        await().until(() -> told.size() >= 21);
        assertThat(told).hasSize(21);
        assertThat(told.get(0).type()).isEqualTo("rate");
        assertThat(told.get(0).limit()).isEqualTo(5);
        assertThat(told.get(0).retryAfterMs()).isEqualTo(12_000);
        assertThat(told.get(20).type()).isEqualTo("payload");
        assertThat(told.get(20).observed()).isGreaterThan(4096);
    }

    @Test
    void E9_aRefusedMessageIsNeitherValidatedNorHandled() throws Exception {
        ChatServer chat = start(yaml("limits: [{ name: m, per: [user], rate: 2/min }]"));
        Person ann = new Person(chat, "X-User", "ann");
        // Invalid but within its limit; then valid; then invalid beyond the limit.
        assertThat(ann.say("Say").next()).contains("INVALID_ARGUMENT", "payload.text");
        ann.send("{\"type\":\"Say\",\"payload\":{\"text\":\"hello\"}}");
        assertThat(ann.next()).isEqualTo("{\"type\":\"Said\",\"by\":\"ann\",\"text\":\"hello\"}");
        assertThat(ann.say("Say").next()).contains("RESOURCE_EXHAUSTED");
        // Too large or malformed: not charged.
        assertThat(ann.send("nonsense").next()).contains("INVALID_ARGUMENT", "JSON");
        assertThat(told).allMatch(exceeded -> exceeded.type().equals("rate"));
    }

    @Test
    void E10_fifteenInParallelAgainstTenGetTen() throws Exception {
        ChatServer chat = start(yaml("limits: [{ name: m, per: [user], rate: 10/hour }]"));
        List<Person> people = new ArrayList<>();
        for (int i = 0; i < 15; i++) {
            people.add(new Person(chat, "X-User", "ann"));
        }
        people.parallelStream().forEach(person -> person.say("Ping"));
        int pongs = 0;
        for (Person person : people) {
            pongs += person.count(1, "Pong");
        }
        assertThat(pongs).isEqualTo(10);
    }

    @Test
    void E11_aClockThatStepsBackIsTolerated() throws Exception {
        ChatServer chat = start(yaml("limits: [{ name: m, per: [user], rate: 2/min }]"));
        Person ann = new Person(chat, "X-User", "ann");
        assertThat(ann.say("Ping").next()).contains("Pong");
        clock.stepBack(Duration.ofSeconds(20));
        assertThat(ann.say("Ping").next()).contains("Pong");
        assertThat(ann.say("Ping").next()).contains("RESOURCE_EXHAUSTED");
        clock.advance(Duration.ofSeconds(80));
        assertThat(ann.say("Ping").next()).contains("Pong");
    }

    @Test
    void E12_everyGranularityIsAnAttribute() throws Exception {
        ChatServer chat = start(yaml("""
                limits:
                  - { name: global, match: { tenant: g }, per: [], rate: 1/hour }
                  - { name: connection, match: { tenant: c }, per: [connection], rate: 1/hour }
                  - { name: address, match: { tenant: i }, per: [ip], rate: 1/hour }
                  - { name: type, match: { tenant: t }, per: [user, type], rate: 1/hour }
                  - { name: room, match: { tenant: r, type: Say }, per: [room], rate: 1/hour }
                """));
        String say = "{\"type\":\"Say\",\"payload\":{\"text\":\"hi\"}}";
        for (String tenant : new String[] {"g", "i"}) {
            assertThat(new Person(chat, "X-User", "a", "X-Tenant", tenant)
                            .say("Ping")
                            .next())
                    .contains("Pong");
            assertThat(new Person(chat, "X-User", "b", "X-Tenant", tenant)
                            .say("Ping")
                            .next())
                    .contains("RESOURCE_EXHAUSTED");
        }
        Person one = new Person(chat, "X-Tenant", "c");
        Person two = new Person(chat, "X-Tenant", "c");
        assertThat(one.say("Ping").next()).contains("Pong");
        assertThat(one.say("Ping").next()).contains("RESOURCE_EXHAUSTED");
        assertThat(two.say("Ping").next()).contains("Pong");
        Person typed = new Person(chat, "X-User", "a", "X-Tenant", "t");
        assertThat(typed.say("Ping").next()).contains("Pong");
        assertThat(typed.say("Ping").next()).contains("RESOURCE_EXHAUSTED");
        assertThat(typed.send(say).next()).contains("Said");
        for (String room : new String[] {"red", "blue"}) {
            String join = "{\"type\":\"Join\",\"payload\":{\"room\":\"" + room + "\"}}";
            Person a = new Person(chat, "X-User", "a", "X-Tenant", "r").send(join);
            Person b = new Person(chat, "X-User", "b", "X-Tenant", "r").send(join);
            assertThat(a.next()).contains("Joined");
            assertThat(b.next()).contains("Joined");
            assertThat(a.send(say).next()).contains("Said");
            assertThat(b.next()).contains("Said");
            assertThat(b.send(say).next()).contains("RESOURCE_EXHAUSTED");
        }
    }

    @Test
    void E13_anAddressCountsOnlyFromATrustedProxy() throws Exception {
        String limit = "limits: [{ name: m, per: [ip], rate: 1/hour }]";
        ChatServer trusting = start(yaml("trusted-proxies: [127.0.0.1/32]\n" + limit));
        assertThat(new Person(trusting, "X-Forwarded-For", "203.0.113.1")
                        .say("Ping")
                        .next())
                .contains("Pong");
        assertThat(new Person(trusting, "X-Forwarded-For", "203.0.113.2")
                        .say("Ping")
                        .next())
                .contains("Pong");
        ChatServer wary = start(yaml(limit));
        assertThat(new Person(wary, "X-Forwarded-For", "203.0.113.1")
                        .say("Ping")
                        .next())
                .contains("Pong");
        assertThat(new Person(wary, "X-Forwarded-For", "203.0.113.2")
                        .say("Ping")
                        .next())
                .contains("RESOURCE_EXHAUSTED");
    }

    @Test
    void E14_typesThatAClientMakesUpDoNotFillTheMemory() throws Exception {
        MemoryStore store = MemoryStore.create(MemoryStoreOptions.defaults().maxEntries(1000));
        ChatServer chat = start(Weir.of(preset(), store, new InMemorySettings()), Exceeding.send());
        Person mallory = new Person(chat, "X-User", "mallory");
        for (int i = 0; i < 5000; i++) {
            mallory.say("t" + i);
        }
        assertThat(mallory.count(5000, "INVALID_ARGUMENT")).isPositive();
        assertThat(store.entries()).isLessThanOrEqualTo(1000);
        assertThat(new Person(chat, "X-User", "ann").say("Ping").next()).contains("Pong");
    }

    @Test
    void E15_oneWhoIsUsedUpHoldsUpNobody() throws Exception {
        ChatServer chat = start(preset());
        Person mallory = new Person(chat, "X-User", "mallory");
        Person ann = new Person(chat, "X-User", "ann");
        for (int i = 0; i < 300; i++) {
            mallory.say("Ping");
        }
        assertThat(mallory.count(300, "RESOURCE_EXHAUSTED")).isEqualTo(100);
        assertThat(ann.say("Ping").next()).contains("Pong");
        assertThat(mallory.send("{\"type\":\"Say\",\"payload\":{\"text\":\"still here\"}}")
                        .next())
                .contains("Said");
        mallory.leave();
        await().until(() -> chat.connections() == 1);
    }
}
