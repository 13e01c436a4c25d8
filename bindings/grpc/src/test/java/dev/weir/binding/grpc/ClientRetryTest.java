package dev.weir.binding.grpc;

import static dev.weir.binding.grpc.TalkServer.line;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.google.common.util.concurrent.ListenableFuture;
import dev.weir.binding.grpc.talk.Line;
import dev.weir.binding.grpc.talk.TalkGrpc;
import dev.weir.memory.MemoryStore;
import dev.weir.memory.MemoryStoreOptions;
import dev.weir.testkit.FakeClock;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.Context;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The client waits as advised and retries; the test advances the clock of its waits. */
@Tag("io")
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class ClientRetryTest {
    private final FakeClock clock = new FakeClock();
    private final VirtualTimer timer = new VirtualTimer();
    private TalkServer server;

    @BeforeEach
    void start() throws Exception {
        server = TalkServer.start(
                """
                limits:
                  - { name: calls, match: { method: "**/Say" }, per: [user], rate: 1/min }
                  - { name: closed, match: { method: "**/Collect" }, per: [user], rate: 0/min }
                  - { name: counts, match: { method: "**/Count" }, per: [user], rate: 1/min }
                  - { name: banned, match: { user: eve }, per: [user], rate: 0/min }
                """, MemoryStore.create(MemoryStoreOptions.defaults().timeSource(clock)), how -> how);
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
    }

    @Test
    void refusedCall_waitsAsTold_andIsAnswered() {
        TalkGrpc.TalkBlockingStub stub = TalkGrpc.newBlockingStub(retrying(4, Duration.ofMinutes(10)));
        for (int i = 0; i < 3; i++) {
            assertThat(stub.say(line("hi")).getText()).isEqualTo("hi");
        }
        assertThat(timer.waits).hasSize(2);
        assertThat(timer.waits).allMatch(wait -> wait.compareTo(Duration.ofSeconds(60)) >= 0);
        assertThat(timer.waits).allMatch(wait -> wait.compareTo(Duration.ofSeconds(73)) < 0);
        assertThat(server.talk.begun).hasValue(3);
    }

    @Test
    void serverStream_thatHasNotBegun_isTriedAgain() {
        TalkGrpc.TalkBlockingStub stub = TalkGrpc.newBlockingStub(retrying(4, Duration.ofMinutes(10)));
        assertThat(stub.count(line("2"))).toIterable().hasSize(2);
        assertThat(stub.count(line("2"))).toIterable().hasSize(2);
        assertThat(timer.waits).hasSize(1);
    }

    @Test
    void serverStream_thatHasBegun_isNotTriedAgain() {
        Iterator<Line> lines =
                TalkGrpc.newBlockingStub(retrying(4, Duration.ofMinutes(10))).count(line("13"));
        StatusRuntimeException end = catchThrowableOfType(StatusRuntimeException.class, () -> {
            while (lines.hasNext()) {
                lines.next();
            }
        });
        assertThat(end.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        assertThat(timer.waits).isEmpty();
    }

    @Test
    void negativePushback_isObeyed() {
        assertThat(refusal(retrying("eve", 4, Duration.ofMinutes(10)))).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        assertThat(timer.waits).isEmpty();
    }

    @Test
    void attempts_areCounted() {
        timer.turns = false;
        TalkGrpc.newBlockingStub(server.channel)
                .withInterceptors(TalkServer.as("ann"))
                .say(line("hi"));
        assertThat(refusal(retrying(3, Duration.ofHours(1)))).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        assertThat(timer.waits).hasSize(2);
    }

    @Test
    void longestWait_isNotExceeded() {
        TalkGrpc.newBlockingStub(server.channel)
                .withInterceptors(TalkServer.as("ann"))
                .say(line("hi"));
        assertThat(refusal(retrying(3, Duration.ofSeconds(59)))).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        assertThat(timer.waits).isEmpty();
    }

    @Test
    void waitBeyondTheDeadline_givesUpAtOnce() {
        server.blocking("ann").say(line("hi"));
        StatusRuntimeException refused = catchThrowableOfType(
                StatusRuntimeException.class,
                () -> TalkGrpc.newBlockingStub(retrying(4, Duration.ofHours(1)))
                        .withDeadlineAfter(30, TimeUnit.SECONDS)
                        .say(line("hi")));
        assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        assertThat(timer.waits).isEmpty();
    }

    @Test
    void cancelled_whileItWaits_isNotTriedAgain() {
        timer.isHeld = true;
        server.blocking("ann").say(line("hi"));
        ListenableFuture<Line> answer =
                TalkGrpc.newFutureStub(retrying(4, Duration.ofHours(1))).say(line("hi"));
        await().until(() -> timer.waits.size() == 1);
        answer.cancel(true);
        await().until(() -> timer.cancelled.get() == 1);
        timer.held.forEach(Runnable::run);
        assertThat(server.talk.begun).hasValue(1);
    }

    @Test
    void contextThatIsCancelled_whileABlockingCallWaits_endsIt() {
        timer.isHeld = true;
        server.blocking("ann").say(line("hi"));
        Context.CancellableContext context = Context.current().withCancellation();
        CompletableFuture<Status.Code> end = CompletableFuture.supplyAsync(() -> {
            Context before = context.attach();
            try {
                return refusal(retrying(4, Duration.ofHours(1)));
            } finally {
                context.detach(before);
            }
        });
        await().until(() -> timer.waits.size() == 1);
        context.cancel(null);
        assertThat(end.join()).isEqualTo(Status.Code.CANCELLED);
    }

    @Test
    void clientStreams_areLeftAlone() throws Exception {
        RecordedResponses heard = new RecordedResponses();
        TalkGrpc.newStub(retrying(4, Duration.ofHours(1))).collect(heard).onCompleted();
        assertThat(heard.code()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        assertThat(timer.waits).isEmpty();
    }

    private Channel retrying(int attempts, Duration longestWait) {
        return retrying("ann", attempts, longestWait);
    }

    private Channel retrying(String user, int attempts, Duration longestWait) {
        WeirClientInterceptor retries = WeirClientInterceptor.builder()
                .attempts(attempts)
                .longestWait(longestWait)
                .waitingBy(timer, () -> 0.99)
                .build();
        return ClientInterceptors.intercept(server.channel, TalkServer.as(user), retries);
    }

    private static Status.Code refusal(Channel channel) {
        StatusRuntimeException refused = catchThrowableOfType(
                StatusRuntimeException.class,
                () -> TalkGrpc.newBlockingStub(channel).say(line("hi")));
        assertThat(refused).as("refused").isNotNull();
        return refused.getStatus().getCode();
    }

    /** Waits by advancing the clock. */
    private final class VirtualTimer implements Timer {
        final List<Duration> waits = new CopyOnWriteArrayList<>();
        final List<Runnable> held = new CopyOnWriteArrayList<>();
        volatile boolean turns = true;
        volatile boolean isHeld;
        final AtomicInteger cancelled = new AtomicInteger();

        @Override
        public Future<?> after(Duration delay, Runnable task) {
            waits.add(delay);
            if (isHeld) {
                held.add(task);
                return new CompletableFuture<>() {
                    @Override
                    public boolean cancel(boolean mayInterrupt) {
                        cancelled.incrementAndGet();
                        return super.cancel(mayInterrupt);
                    }
                };
            }
            if (turns) {
                clock.advance(delay);
            }
            return CompletableFuture.runAsync(task);
        }
    }
}
