package dev.weir.binding.websocket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.engine.Weir;
import dev.weir.engine.WeirOptions;
import dev.weir.engine.config.Configuration;
import dev.weir.engine.config.ConfigurationReader;
import dev.weir.engine.guard.GuardOptions;
import dev.weir.engine.settings.InMemorySettings;
import dev.weir.testkit.FailureInjectingStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The stages of the pipeline, without a framework. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class PipelineTest {
    private final FailureInjectingStore store = new FailureInjectingStore();
    private final Weir weir = Weir.of(
            configuration("""
            classify: [{ set: tier, from: type, values: { heavy: [heavy] }, default: normal }]
            limits:
              - { name: messages, per: [user, type], by: tier, rate: { heavy: 2/hour, default: 5/hour }, warn: 80% }
              - { name: huge, match: { type: huge }, per: [user], rate: 5/hour, cost: 6 }
              - { name: tokens, per: [user], rate: 50/hour, cost: tokens }
            """),
            store,
            new InMemorySettings(),
            WeirOptions.defaults().withGuard(GuardOptions.defaults().withDeadline(Duration.ofSeconds(20))));
    private final FakeConnection connection = new FakeConnection();
    private final List<String> handled = Collections.synchronizedList(new ArrayList<>());
    private final List<LimitExceeded> told = Collections.synchronizedList(new ArrayList<>());

    @AfterEach
    void close() {
        weir.close();
    }

    private static Configuration configuration(String limits) {
        return new ConfigurationReader(name -> null)
                .read("test.yaml", "version: 1\n" + limits)
                .orThrow();
    }

    private MessagePipeline.Builder builder() {
        return MessagePipeline.builder(weir).onLimitExceeded(told::add);
    }

    private PipelineSession open(MessagePipeline.Builder builder) {
        return builder.to((message, from) -> {
                    handled.add(message.text());
                    return null;
                })
                .open(connection);
    }

    private static String message(String type, Object id) {
        return "{\"type\":\"" + type + "\",\"id\":\"" + id + "\"}";
    }

    @Test
    void aMessageThatPasses_reachesItsHandlerOnce() {
        PipelineSession session = open(builder());
        session.receive(message("say", 1));
        session.receiveAndWait(message("say", 2));
        assertThat(handled).containsExactly(message("say", 1), message("say", 2));
        assertThat(connection.sent).isEmpty();
    }

    @Test
    void aRefusedMessage_isToldExactlyWhenToComeAgain_andNeverHandled() {
        PipelineSession session = open(builder());
        for (int i = 0; i < 3; i++) {
            session.receive(message("heavy", i));
        }
        assertThat(handled).hasSize(2);
        String refusal = connection.sent.get(connection.sent.size() - 1);
        assertThat(refusal)
                .startsWith("{\"type\":\"ERROR\",\"meta\":{\"correlationId\":\"2\"},\"payload\":"
                        + "{\"code\":\"RESOURCE_EXHAUSTED\"")
                .contains("\"retryable\":true,\"retryAfterMs\":");
        await().until(() -> told.size() == 1);
        LimitExceeded info = told.get(0);
        assertThat(info.type()).isEqualTo("rate");
        assertThat(info.observed()).isEqualTo(1);
        assertThat(info.limit()).isEqualTo(2);
        assertThat(refusal).contains("\"retryAfterMs\":" + info.retryAfterMs());
        assertThat(info.retryAfterMs()).isBetween(1_795_000L, 1_800_000L);
        assertThat(info.clientId()).isEqualTo("c1");
        assertThat(info.messageType()).isEqualTo("heavy");
    }

    @Test
    void whatNeverFits_isAFailedPrecondition() {
        PipelineSession session = open(builder());
        session.receive(message("huge", 1));
        assertThat(connection.sent.get(0))
                .contains("FAILED_PRECONDITION", "\"retryable\":false")
                .doesNotContain("retryAfterMs");
        await().until(() -> told.size() == 1);
        assertThat(told.get(0).retryAfterMs()).isNull();
        assertThat(told.get(0).observed()).isEqualTo(6);
        assertThat(handled).isEmpty();
    }

    @Test
    void plainFrames_areThoseOfTheHub() {
        PipelineSession session = open(builder().frames(Frames.plain()));
        for (int i = 0; i < 6; i++) {
            session.receive(message("say", i));
        }
        assertThat(connection.sent)
                .containsExactly(
                        "{\"type\":\"rate_limit_warning\",\"tier\":\"normal\",\"remaining\":1,\"capacity\":5}",
                        "{\"type\":\"rate_limited\",\"id\":\"5\",\"retry_after_ms\":720000,\"tier\":\"normal\"}");
        assertThat(handled).hasSize(5);
    }

    @Test
    void theOrderIs_sizeParseRateQuotaValidationHandler() {
        List<String> stages = new ArrayList<>();
        CompletableFuture<Void> never = new CompletableFuture<>();
        MessagePipeline.Builder builder = builder()
                .payloadUpTo(100)
                .inFlightUpTo(1)
                .attributes(ingress -> {
                    stages.add("rate");
                    return MessagePipeline.everything(ingress);
                })
                .validator(message -> {
                    stages.add("validation");
                    return message.text().contains("wrong") ? "it is wrong" : null;
                });
        PipelineSession session = builder.to((message, from) -> {
                    stages.add("handler");
                    return never;
                })
                .open(connection);
        session.receive("{\"type\":\"say\"" + " ".repeat(200));
        session.receive("{\"type\":");
        session.receive("[1]");
        assertThat(stages).isEmpty();
        session.receive("{\"type\":\"say\",\"wrong\":1}");
        assertThat(stages).containsExactly("rate", "validation");
        session.receive(message("say", 1));
        session.receive(message("say", 2));
        assertThat(stages).containsExactly("rate", "validation", "rate", "validation", "handler", "rate");
        await().until(() -> told.size() == 2);
        assertThat(told).extracting(LimitExceeded::type).containsExactly("payload", "in_flight");
        assertThat(told.get(0).observed()).isGreaterThan(100);
        assertThat(told.get(0).limit()).isEqualTo(100);
        assertThat(session.inFlight()).isEqualTo(1);
        never.complete(null);
        assertThat(session.inFlight()).isZero();
    }

    @Test
    void limits_neverSeeThePayload() {
        List<Ingress> seen = new ArrayList<>();
        PipelineSession session = open(builder().attributes(ingress -> {
            seen.add(ingress);
            return Map.of("user", "ann");
        }));
        session.receive("{\"type\":\"say\",\"user\":\"somebody else\",\"tokens\":1000}");
        assertThat(seen).hasSize(1);
        assertThat(seen.get(0).data()).isEqualTo(Map.of("user", "ann"));
        assertThat(handled).hasSize(1);
    }

    @Test
    void aCostThatIsNone_isAnInvalidArgument() {
        connection.attributes.put("tokens", "-3");
        open(builder()).receive(message("say", 1));
        assertThat(connection.sent.get(0)).contains("INVALID_ARGUMENT", "tokens");
        assertThat(handled).isEmpty();
    }

    @Test
    void onExceed_closesOrLeavesItToTheApplication() {
        PipelineSession closing = open(builder().onExceed(Exceeding.close()));
        for (int i = 0; i < 4; i++) {
            closing.receive(message("heavy", i));
        }
        assertThat(connection.closed).isEqualTo("1013 rate limit exceeded");
        assertThat(handled).hasSize(2);
        await().until(() -> told.size() == 1);

        FakeConnection other = new FakeConnection();
        List<String> custom = new ArrayList<>();
        PipelineSession own = builder()
                .onExceed(Exceeding.custom((exceeded, from) -> {
                    custom.add(exceeded.type() + " of " + from.id());
                    throw new IllegalStateException("a failure that the test wants");
                }))
                .to((message, from) -> null)
                .open(other);
        own.receive(message("heavy", 1));
        assertThat(custom).containsExactly("rate of c1");
        assertThat(other.sent).isEmpty();
        assertThat(other.closed).isNull();
    }

    @Test
    void hooksThatThrowOrHang_harmNobody() throws Exception {
        CountDownLatch hanging = new CountDownLatch(1);
        CountDownLatch called = new CountDownLatch(2);
        PipelineSession session = open(MessagePipeline.builder(weir).onLimitExceeded(info -> {
            called.countDown();
            if (called.getCount() == 1) {
                throw new IllegalStateException("a failure that the test wants");
            }
            try {
                hanging.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }));
        for (int i = 0; i < 50; i++) {
            session.receive(message("heavy", i));
        }
        session.receive(message("say", 1));
        assertThat(handled).hasSize(3);
        assertThat(connection.sent)
                .filteredOn(frame -> frame.contains("RESOURCE_EXHAUSTED"))
                .hasSize(48);
        assertThat(called.await(90, TimeUnit.SECONDS)).isTrue();
        hanging.countDown();
    }

    @Test
    void everyRefusal_isToldOnce() {
        PipelineSession session = open(builder());
        for (int i = 0; i < 1002; i++) {
            session.receive(message("heavy", i));
        }
        await().until(() -> told.size() >= 1000);
        assertThat(told).hasSize(1000);
    }

    @Test
    void theTenthMalformedMessage_endsTheConnection_rateViolationsNever() {
        PipelineSession session = open(builder());
        for (int i = 0; i < 30; i++) {
            session.receive(message("heavy", i));
        }
        String[] bad = {
            "", "x", "{", "{}", "{\"type\":{}}", "{\"type\":\"\"}", "[]", "{\"type\":\"" + "t".repeat(257) + "\"}"
        };
        for (String text : bad) {
            session.receive(text);
        }
        session.receiveBinary();
        assertThat(connection.closed).isNull();
        session.receive("null");
        assertThat(connection.closed).startsWith("1008");
        session.receive(message("say", 1));
        assertThat(handled).hasSize(2);
    }

    @Test
    void messages_keepTheirOrderWhileAStoreIsAsked_andFewWait() {
        store.be(FailureInjectingStore.Behavior.HELD);
        PipelineSession session = open(builder().waitingUpTo(4));
        for (int i = 0; i < 4; i++) {
            session.receive(message("a" + i, i));
        }
        assertThat(connection.isPaused).isFalse();
        session.receive(message("a4", 4));
        assertThat(connection.isPaused).isTrue();
        assertThat(handled).isEmpty();
        while (store.release()) {
            // One at a time: the next is checked after the previous one is decided.
        }
        assertThat(connection.isPaused).isFalse();
        assertThat(handled)
                .containsExactly(
                        message("a0", 0), message("a1", 1), message("a2", 2), message("a3", 3), message("a4", 4));
    }

    @Test
    void whoGoesOnSendingUnread_isCutOff() {
        store.be(FailureInjectingStore.Behavior.HELD);
        PipelineSession session = open(builder().waitingUpTo(4));
        for (int i = 0; i < 50; i++) {
            session.receive(message("say", i));
        }
        assertThat(connection.closed).startsWith("1013");
        while (store.release()) {
            // Waiting messages are dropped.
        }
        assertThat(handled).isEmpty();
        await().until(() -> told.size() == 1);
        assertThat(told.get(0).type()).isEqualTo("queue");
    }

    @Test
    void aStoreThatFails_refusesForAMinute() {
        store.be(FailureInjectingStore.Behavior.FAILS);
        open(builder()).receive(message("say", 1));
        assertThat(connection.sent.get(0)).contains("RESOURCE_EXHAUSTED", "\"retryAfterMs\":60000");
        assertThat(handled).isEmpty();
    }

    @Test
    void aHandlerThatFails_isAnInternalError_andTellsNothing() {
        PipelineSession session = builder()
                .to((message, from) -> {
                    if (message.type().equals("later")) {
                        return CompletableFuture.failedFuture(new IllegalStateException("a secret"));
                    }
                    throw new IllegalStateException("a secret");
                })
                .open(connection);
        session.receive(message("say", 1));
        session.receive(message("later", 2));
        assertThat(connection.sent).hasSize(2).allMatch(frame -> frame.contains("INTERNAL"));
        assertThat(connection.sent).noneMatch(frame -> frame.contains("secret"));
        assertThat(session.inFlight()).isZero();
    }

    @Test
    void theEnd_isToldOnce() {
        List<String> ended = new ArrayList<>();
        PipelineSession session = builder()
                .to(new MessageHandler() {
                    @Override
                    public CompletableFuture<?> handle(Message message, Connection from) {
                        return null;
                    }

                    @Override
                    public void closed(Connection from) {
                        ended.add(from.id());
                    }
                })
                .open(connection);
        session.closed();
        session.closed();
        session.receive(message("say", 1));
        assertThat(ended).containsExactly("c1");
    }

    @Test
    void hostileTexts_stayValues() {
        PipelineSession session = open(builder());
        for (int i = 0; i < 3; i++) {
            session.receive("{\"type\":\"heavy\",\"id\":\"\\\"},{\\u0000<script>\"}");
        }
        assertThat(connection.sent.get(connection.sent.size() - 1))
                .contains("\\\"},{\\u0000\\u003cscript\\u003e")
                .doesNotContain("<script>");
    }
}
