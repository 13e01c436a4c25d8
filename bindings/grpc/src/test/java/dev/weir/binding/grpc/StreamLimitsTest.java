package dev.weir.binding.grpc;

import static dev.weir.binding.grpc.TalkServer.line;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.binding.grpc.talk.Line;
import dev.weir.memory.MemoryStore;
import dev.weir.testkit.FailureInjectingStore;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Limits on the messages of streams, and on open streams. Over real sockets. */
@Tag("io")
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class StreamLimitsTest {
    private static final String THREE_MESSAGES =
            "limits: [{ name: messages, match: { type: message }, per: [user], rate: 3/hour }]";
    private static final String TWO_STREAMS =
            "limits: [{ name: streams, match: { channel: grpc }, per: [user], algorithm: concurrency, rate: 2 }]";

    @Test
    void messageBeyondTheLimit_endsTheCall_andTheHandlerHearsOfItOnce() throws Exception {
        try (TalkServer server = start(THREE_MESSAGES, StreamMessages.END_CALL)) {
            RecordedResponses heard = new RecordedResponses();
            StreamObserver<Line> chat = server.async("ann").chat(heard);
            for (int i = 1; i <= 3; i++) {
                chat.onNext(line("m" + i));
            }
            await().until(() -> heard.lines.size() == 3);
            chat.onNext(line("m4"));
            assertThat(heard.code()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
            Metadata trailers = Status.trailersFromThrowable(heard.failure());
            assertThat(trailers.get(Refusals.PUSHBACK)).isNotNull();
            await().until(() -> server.talk.cancelled.get() == 1);
            assertThat(server.talk.heard).containsExactly("m1", "m2", "m3");
            assertThat(server.talk.completed).hasValue(0);
            // The next stream is limited, too: its first message is refused.
            RecordedResponses next = new RecordedResponses();
            server.async("ann").collect(next).onNext(line("m5"));
            assertThat(next.code()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        }
    }

    @Test
    void messagesOfParallelStreams_areAdmittedExactlyUpToTheLimit() throws Exception {
        try (TalkServer server = start(
                "limits: [{ name: messages, match: { type: message }, per: [user], rate: 100/hour }]",
                StreamMessages.END_CALL)) {
            List<RecordedResponses> all = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                RecordedResponses heard = new RecordedResponses();
                all.add(heard);
                StreamObserver<Line> chat = server.async("ann").chat(heard);
                for (int j = 0; j < 20; j++) {
                    chat.onNext(line("m"));
                }
                chat.onCompleted();
            }
            int refused = 0;
            for (RecordedResponses heard : all) {
                // A stream that runs early gets all of its messages through.
                boolean isRefused = heard.code() == Status.Code.RESOURCE_EXHAUSTED;
                refused += isRefused ? 1 : 0;
                assertThat(isRefused || (heard.code() == Status.Code.OK && heard.lines.size() == 20))
                        .as("%s after %s messages", heard.code(), heard.lines.size())
                        .isTrue();
            }
            assertThat(refused).isBetween(5, 10);
            assertThat(server.talk.heard).hasSize(100);
        }
    }

    @Test
    void delayedMessages_allComeInOrder_andNotFasterThanTheLimit() throws Exception {
        try (TalkServer server = start(
                "limits: [{ name: messages, match: { type: message }, per: [user], rate: 20/s, burst: 1 }]",
                StreamMessages.DELAY)) {
            RecordedResponses heard = new RecordedResponses();
            long begin = System.nanoTime();
            StreamObserver<Line> collect = server.async("ann").collect(heard);
            for (int i = 1; i <= 6; i++) {
                collect.onNext(line(Integer.toString(i)));
            }
            collect.onCompleted();
            assertThat(heard.code()).isEqualTo(Status.Code.OK);
            assertThat(heard.lines).containsExactly("123456");
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThanOrEqualTo(Duration.ofMillis(250));
        }
    }

    @Test
    void delayedStream_slowsItsClientDown_andHoldsOneMessage() throws Exception {
        try (TalkServer server = TalkServer.start(
                "limits: [{ name: messages, match: { type: message }, per: [user], rate: 1/hour }]",
                MemoryStore.create(),
                how -> how.messages(StreamMessages.DELAY).longestDelay(Duration.ofHours(2)))) {
            RecordedResponses heard = new RecordedResponses();
            var chat = (ClientCallStreamObserver<Line>) server.async("ann").chat(heard);
            String large = "x".repeat(10_000);
            AtomicInteger sent = new AtomicInteger();
            await().during(Duration.ofMillis(300)).until(() -> {
                while (chat.isReady() && sent.get() < 1000) {
                    chat.onNext(line(large));
                    sent.incrementAndGet();
                }
                return !chat.isReady();
            });
            assertThat(sent.get()).as("until flow control says stop").isLessThan(1000);
            await().until(() -> heard.lines.size() == 1);
            assertThat(server.talk.heard).hasSize(1);
            chat.cancel("enough", null);
            await().until(() -> server.talk.cancelled.get() == 1);
        }
    }

    @Test
    void delayThatIsTooLong_endsTheCall() throws Exception {
        try (TalkServer server = start(THREE_MESSAGES, StreamMessages.DELAY)) {
            RecordedResponses heard = new RecordedResponses();
            StreamObserver<Line> chat = server.async("ann").chat(heard);
            for (int i = 1; i <= 4; i++) {
                chat.onNext(line("m" + i));
            }
            assertThat(heard.code()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
            assertThat(server.talk.heard).containsExactly("m1", "m2", "m3");
        }
    }

    @Test
    void storeThatFailsMidStream_endsTheCallAsUnavailable_delayedOrNot() throws Exception {
        for (StreamMessages messages : List.of(StreamMessages.END_CALL, StreamMessages.DELAY)) {
            FailureInjectingStore store = new FailureInjectingStore();
            try (TalkServer server = TalkServer.start(THREE_MESSAGES, store, how -> how.messages(messages))) {
                RecordedResponses heard = new RecordedResponses();
                StreamObserver<Line> chat = server.async("ann").chat(heard);
                chat.onNext(line("m1"));
                await().until(() -> heard.lines.size() == 1);
                store.be(FailureInjectingStore.Behavior.FAILS);
                chat.onNext(line("m2"));
                assertThat(heard.code()).isEqualTo(Status.Code.UNAVAILABLE);
                assertThat(server.talk.heard).containsExactly("m1");
            }
        }
    }

    @Test
    void messagesAndTheirEnd_keepTheirOrder_whenDecisionsTakeTime() throws Exception {
        FailureInjectingStore store = new FailureInjectingStore();
        store.be(FailureInjectingStore.Behavior.LATER);
        try (TalkServer server = TalkServer.start(
                "limits: [{ name: messages, match: { type: message }, per: [user], rate: 1000/hour }]",
                store,
                how -> how.messages(StreamMessages.END_CALL))) {
            RecordedResponses heard = new RecordedResponses();
            StreamObserver<Line> collect = server.async("ann").collect(heard);
            StringBuilder expected = new StringBuilder();
            for (int i = 0; i < 100; i++) {
                collect.onNext(line(i + " "));
                expected.append(i).append(' ');
            }
            collect.onCompleted();
            assertThat(heard.code()).isEqualTo(Status.Code.OK);
            assertThat(heard.lines).containsExactly(expected.toString());
        }
    }

    @Test
    void openStreams_holdSlots_andEveryKindOfEndGivesThemBack() throws Exception {
        try (TalkServer server = TalkServer.start(TWO_STREAMS, MemoryStore.create(), StreamLimitsTest::counting)) {
            List<Runnable> ends = List.of(
                    () -> ends(server, chat -> chat.onCompleted(), Status.Code.OK),
                    () -> ends(server, chat -> chat.cancel("enough", null), Status.Code.CANCELLED),
                    () -> ends(server, chat -> chat.onNext(line("trip")), Status.Code.UNKNOWN));
            for (Runnable end : ends) {
                end.run();
                end.run();
                end.run();
            }
            assertThat(server.blocking("ann").say(line("hi")).getText())
                    .as("a call with one answer holds no slot")
                    .isEqualTo("hi");
        }
    }

    @Test
    void streamThatIsRefused_spendsNothing_andHoldsNoSlot() throws Exception {
        String limits = "limits:\n  - { name: streams, per: [user], algorithm: concurrency, rate: 1 }\n"
                + "  - { name: calls, per: [user], rate: 2/hour }";
        try (TalkServer server = TalkServer.start(limits, MemoryStore.create(), StreamLimitsTest::counting)) {
            RecordedResponses first = new RecordedResponses();
            StreamObserver<Line> chat = server.async("ann").chat(first);
            await().until(() -> server.talk.begun.get() == 1);
            RecordedResponses second = new RecordedResponses();
            server.async("ann").chat(second).onCompleted();
            assertThat(second.code()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
            chat.onCompleted();
            assertThat(first.code()).isEqualTo(Status.Code.OK);
            awaitFree(server, 1);

            assertThat(server.blocking("ann").count(line("1"))).toIterable().hasSize(1);
            awaitFree(server, 1);
            RecordedResponses third = new RecordedResponses();
            server.async("ann").chat(third).onCompleted();
            assertThat(third.code()).as("the calls are used up").isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
            awaitFree(server, 1);
        }
    }

    @Test
    void cancellationAtAnyMoment_leavesNoSlotBehind() throws Exception {
        FailureInjectingStore store = new FailureInjectingStore();
        store.be(FailureInjectingStore.Behavior.LATER);
        String limits = "limits:\n  - { name: streams, per: [user], algorithm: concurrency, rate: 300 }\n"
                + "  - { name: messages, match: { type: message }, per: [user], rate: 200/hour }";
        try (TalkServer server =
                TalkServer.start(limits, store, how -> counting(how).messages(StreamMessages.END_CALL))) {
            List<RecordedResponses> all = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                RecordedResponses heard = new RecordedResponses();
                all.add(heard);
                var chat = (ClientCallStreamObserver<Line>) server.async("ann").chat(heard);
                chat.onNext(line("a"));
                if (i % 3 == 0) {
                    chat.onCompleted();
                }
                LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(2_000_000));
                chat.cancel("enough", null);
            }
            for (RecordedResponses heard : all) {
                heard.failure();
            }
            awaitFree(server, 300);
            assertThat(server.talk.heard.size()).isLessThanOrEqualTo(200);
        }
    }

    private static WeirServerInterceptor.Builder counting(WeirServerInterceptor.Builder how) {
        return how.countingStreams();
    }

    /** Fills both slots, expects that a third stream is refused, ends both in one way, and expects free slots. */
    private static void ends(TalkServer server, Consumer<ClientCallStreamObserver<Line>> end, Status.Code code) {
        try {
            List<RecordedResponses> heard = List.of(new RecordedResponses(), new RecordedResponses());
            List<ClientCallStreamObserver<Line>> chats = new ArrayList<>();
            int before = server.talk.begun.get();
            for (RecordedResponses each : heard) {
                chats.add((ClientCallStreamObserver<Line>) server.async("ann").chat(each));
            }
            await().until(() -> server.talk.begun.get() == before + 2);
            RecordedResponses third = new RecordedResponses();
            server.async("ann").count(line("1"), third);
            assertThat(third.code()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
            chats.forEach(end);
            for (RecordedResponses each : heard) {
                assertThat(each.code()).isEqualTo(code);
            }
            awaitFree(server, 2);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static void awaitFree(TalkServer server, long slots) {
        await().untilAsserted(() -> assertThat(server.weir.status(Map.of("user", "ann")).stream()
                        .filter(limit -> limit.name().equals("streams"))
                        .findFirst()
                        .orElseThrow()
                        .remaining())
                .isEqualTo(slots));
    }

    private static TalkServer start(String limits, StreamMessages messages) throws Exception {
        return TalkServer.start(limits, MemoryStore.create(), how -> how.messages(messages));
    }
}
