package dev.weir.store.scripted;

import dev.weir.Answer;
import dev.weir.DurationText;
import dev.weir.StoreException;
import dev.weir.remote.Batcher;
import dev.weir.remote.Promise;
import dev.weir.remote.TimeoutQueue;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The client of the script: batches concurrent requests into calls and matches each reply to its request.
 *
 * <p>States of a request:
 *
 * <ol>
 *   <li>Queued in the batcher of its tag. An unpartitioned backend has one batcher; a partitioned backend has one for
 *       each tag, created on first use, because a call may name keys of one tag only.
 *   <li>In flight, as one entry of a {@link ScriptCall}. Requests that arrive while a call is in flight form the next batch.
 *   <li>Completed by exactly one of three events: the reply, a failure of the connection, or the timeout. All three
 *       complete the same future, so the first one wins and later ones have no effect.
 *   <li>Repeated, if the reply is {@link Reply.MissingPolicies}. The script then changed nothing, because it needs policy
 *       data that the call did not carry. That is the current window of a calendar or the time when the store first saw
 *       a policy. The request is sent again with that data, at most {@link #MOST_EXPLANATIONS} times. This is the only
 *       repetition; a call without a reply is never repeated, because the script may have run.
 * </ol>
 *
 * <p>Any thread may submit a request. The batcher decides which thread sends a batch; a thread of the connection or of
 * the timeout queue completes it. The timeout queue holds an element for each call in flight. A completed call clears
 * its element at once, so that the queue retains no replies.
 *
 * <p>Safe for use by several threads. {@link #close()} rejects queued and new requests.
 */
final class ScriptClient implements AutoCloseable {
    /** Upper bound on retries of one request with additional policy data. */
    private static final int MOST_EXPLANATIONS = 64;

    private final ScriptLink link;
    private final ScriptClock clock;
    private final KeyNames names;
    private final TimeoutQueue timeouts;
    private final AtomicReferenceArray<@Nullable Batcher<ScriptRequest, Reply>> batchers;
    private volatile boolean closed;

    ScriptClient(ScriptLink link, ScriptClock clock, KeyNames names) {
        this.link = link;
        this.clock = clock;
        this.names = names;
        this.timeouts = new TimeoutQueue(link.timeout());
        this.batchers = new AtomicReferenceArray<>(link.isPartitioned() ? KeyNames.TAGS : 1);
    }

    /** Submits a request and converts its reply. Fails with a {@link StoreException} if the script reports an error. */
    <T> Answer<T> ask(ScriptRequest request, Function<Reply, Answer<T>> make) {
        return ask(request, make, MOST_EXPLANATIONS);
    }

    @Override
    public void close() {
        closed = true;
        for (int i = 0; i < batchers.length(); i++) {
            Batcher<ScriptRequest, Reply> batcher = batchers.get(i);
            if (batcher != null) {
                batcher.close();
            }
        }
        timeouts.close();
    }

    private <T> Answer<T> ask(ScriptRequest request, Function<Reply, Answer<T>> make, int retries) {
        return batcher(request).ask(request, reply -> made(request, reply, make, retries));
    }

    private <T> Answer<T> made(ScriptRequest request, Reply reply, Function<Reply, Answer<T>> make, int retries) {
        if (reply instanceof Reply.MissingPolicies more && retries > 0) {
            return retryWithPolicies(request, more, make, retries - 1);
        }
        if (reply instanceof Reply.Wrong wrong) {
            return Promise.failed(wrong.failure(link.name()));
        }
        return make.apply(reply);
    }

    /** Obtains the policy data that the script lacks and submits the request again with it. */
    private <T> Answer<T> retryWithPolicies(
            ScriptRequest request, Reply.MissingPolicies more, Function<Reply, Answer<T>> make, int retries) {
        PolicyCode calendar = PolicyCode.ofCalendar(more.policy());
        if (calendar != null) {
            clock.observe(more.scriptTime().wallMillis());
            calendar.fix(more.scriptTime().wallMillis());
            return ask(request.withPolicy(calendar), make, retries);
        }
        PolicyCode policy = PolicyCode.ofUnseen(more.policy());
        return ask(
                ScriptRequest.firstSeen(names.firstSeen(more.policy())),
                reply -> {
                    long micros = ((Reply.FirstSeen) reply).micros();
                    policy.setFirstSeen(micros);
                    request.charges().forEach(charge -> charge.policy().learn(policy, micros));
                    return ask(request.withPolicy(policy), make, retries);
                },
                0);
    }

    private Batcher<ScriptRequest, Reply> batcher(ScriptRequest request) {
        int index = batchers.length() == 1 ? 0 : request.tag();
        Batcher<ScriptRequest, Reply> known = batchers.get(index);
        if (known == null) {
            Batcher<ScriptRequest, Reply> made = new Batcher<>(
                    this::sendBatch, ScriptRequest.WEIGHER, link.batching().withLongestWait(link.timeout()));
            known = batchers.compareAndSet(index, null, made) ? made : batchers.get(index);
            if (closed) {
                made.close();
            }
        }
        return Objects.requireNonNull(known);
    }

    private CompletionStage<List<Reply>> sendBatch(List<ScriptRequest> requests) {
        return new ScriptCall(requests).made();
    }

    /** One call of the script, which carries a batch of requests. */
    private final class ScriptCall {
        private final int tag;
        private final CallWriter out;
        private final int[] entryOf;
        private final CompletableFuture<List<Reply>> answered = new CompletableFuture<>();

        private ScriptCall(List<ScriptRequest> requests) {
            this.tag = link.isPartitioned() ? requests.get(0).tag() : 0;
            this.out = new CallWriter(names.clock(tag), clock.wallMillis());
            this.entryOf = new int[requests.size()];
            for (int i = 0; i < entryOf.length; i++) {
                entryOf[i] = out.request(requests.get(i));
            }
        }

        private CompletionStage<List<Reply>> made() {
            CompletionStage<byte[]> made = link.decide(tag, out.keys(), clock.after(out.argument()));
            CallTimeout underWay = new CallTimeout(answered, link);
            var unused = made.whenComplete((bytes, failure) -> {
                if (failure != null) {
                    answered.completeExceptionally(link.failed(failure));
                } else {
                    onReply(bytes);
                }
                underWay.forget();
            });
            if (!answered.isDone()) {
                timeouts.watch(underWay::isOver, underWay::expire);
            }
            return answered;
        }

        private void onReply(byte[] bytes) {
            try {
                CallReader in = new CallReader(bytes);
                clock.observe(in.scriptTime().wallMillis());
                answered.complete(in.replies(out.entries(), entryOf));
            } catch (RuntimeException e) {
                answered.completeExceptionally(
                        new StoreException(link.name() + " returned an invalid answer", false, e));
            }
        }
    }

    /**
     * A call's element in the timeout queue. It stays there after the call has completed, but then references nothing.
     */
    private static final class CallTimeout {
        private final ScriptLink link;
        private volatile @Nullable CompletableFuture<List<Reply>> answer;

        private CallTimeout(CompletableFuture<List<Reply>> answer, ScriptLink link) {
            this.answer = answer;
            this.link = link;
        }

        private void forget() {
            answer = null;
        }

        private boolean isOver() {
            return answer == null;
        }

        private void expire() {
            CompletableFuture<List<Reply>> waited = answer;
            if (waited != null) {
                waited.completeExceptionally(late(link));
            }
        }
    }

    static StoreException late(ScriptLink link) {
        return new StoreException(
                link.name() + " did not answer within " + DurationText.of(link.timeout()), true, null);
    }
}
