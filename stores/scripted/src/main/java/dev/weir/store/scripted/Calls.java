package dev.weir.store.scripted;

import dev.weir.Answer;
import dev.weir.StoreException;
import dev.weir.remote.Combiner;
import dev.weir.remote.Deadlines;
import dev.weir.remote.Promise;
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
 *   <li>In flight, as one entry of a {@link Call}. Requests that arrive while a call is in flight form the next batch.
 *   <li>Completed by exactly one of three events: the reply, a failure of the connection, or the timeout. All three
 *       complete the same future, so the first one wins and later ones have no effect.
 *   <li>Repeated, if the reply is {@link Reply.Unexplained}. The script then changed nothing, because it needs policy
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
final class Calls implements AutoCloseable {
    /** Upper bound on retries of one request with additional policy data. */
    private static final int MOST_EXPLANATIONS = 64;

    private final ScriptLink link;
    private final ScriptClock clock;
    private final KeyNames names;
    private final Deadlines deadlines;
    private final AtomicReferenceArray<@Nullable Combiner<Question, Reply>> combiners;
    private volatile boolean closed;

    Calls(ScriptLink link, ScriptClock clock, KeyNames names) {
        this.link = link;
        this.clock = clock;
        this.names = names;
        this.deadlines = new Deadlines(link.timeout());
        this.combiners = new AtomicReferenceArray<>(link.isPartitioned() ? KeyNames.TAGS : 1);
    }

    /** Submits a request and converts its reply. Fails with a {@link StoreException} if the script reports an error. */
    <T> Answer<T> ask(Question question, Function<Reply, Answer<T>> make) {
        return ask(question, make, MOST_EXPLANATIONS);
    }

    @Override
    public void close() {
        closed = true;
        for (int i = 0; i < combiners.length(); i++) {
            Combiner<Question, Reply> combiner = combiners.get(i);
            if (combiner != null) {
                combiner.close();
            }
        }
        deadlines.close();
    }

    private <T> Answer<T> ask(Question question, Function<Reply, Answer<T>> make, int explanations) {
        return combiner(question).ask(question, reply -> made(question, reply, make, explanations));
    }

    private <T> Answer<T> made(Question question, Reply reply, Function<Reply, Answer<T>> make, int explanations) {
        if (reply instanceof Reply.Unexplained more && explanations > 0) {
            return explain(question, more, make, explanations - 1);
        }
        if (reply instanceof Reply.Wrong wrong) {
            return Promise.failed(wrong.failure(link.name()));
        }
        return make.apply(reply);
    }

    /** Obtains the policy data that the script lacks and submits the request again with it. */
    private <T> Answer<T> explain(
            Question question, Reply.Unexplained more, Function<Reply, Answer<T>> make, int explanations) {
        PolicyCode calendar = PolicyCode.ofCalendar(more.policy());
        if (calendar != null) {
            clock.saw(more.moment().wallMillis());
            calendar.fix(more.moment().wallMillis());
            return ask(question.explaining(calendar), make, explanations);
        }
        PolicyCode met = PolicyCode.ofUnmet(more.policy());
        return ask(
                Question.meet(names.meeting(more.policy())),
                reply -> {
                    long micros = ((Reply.Met) reply).micros();
                    met.met(micros);
                    question.charges().forEach(charge -> charge.policy().learn(met, micros));
                    return ask(question.explaining(met), make, explanations);
                },
                0);
    }

    private Combiner<Question, Reply> combiner(Question question) {
        int index = combiners.length() == 1 ? 0 : question.tag();
        Combiner<Question, Reply> known = combiners.get(index);
        if (known == null) {
            Combiner<Question, Reply> made = new Combiner<>(
                    this::travel, Question.WEIGHER, link.combining().withLongestWait(link.timeout()));
            known = combiners.compareAndSet(index, null, made) ? made : combiners.get(index);
            if (closed) {
                made.close();
            }
        }
        return Objects.requireNonNull(known);
    }

    private CompletionStage<List<Reply>> travel(List<Question> questions) {
        return new Call(questions).made();
    }

    /** One call of the script, which carries a batch of requests. */
    private final class Call {
        private final int tag;
        private final CallWriter out;
        private final int[] entryOf;
        private final CompletableFuture<List<Reply>> answered = new CompletableFuture<>();

        private Call(List<Question> questions) {
            this.tag = link.isPartitioned() ? questions.get(0).tag() : 0;
            this.out = new CallWriter(names.clock(tag), clock.wallMillis());
            this.entryOf = new int[questions.size()];
            for (int i = 0; i < entryOf.length; i++) {
                entryOf[i] = out.question(questions.get(i));
            }
        }

        private CompletionStage<List<Reply>> made() {
            CompletionStage<byte[]> made = link.decide(tag, out.keys(), clock.after(out.argument()));
            UnderWay underWay = new UnderWay(answered, link);
            var unused = made.whenComplete((bytes, failure) -> {
                if (failure != null) {
                    answered.completeExceptionally(link.failed(failure));
                } else {
                    arrive(bytes);
                }
                underWay.forget();
            });
            if (!answered.isDone()) {
                deadlines.watch(underWay::isOver, underWay::expire);
            }
            return answered;
        }

        private void arrive(byte[] bytes) {
            try {
                CallReader in = new CallReader(bytes);
                clock.saw(in.moment().wallMillis());
                answered.complete(in.replies(out.entries(), entryOf));
            } catch (RuntimeException e) {
                answered.completeExceptionally(
                        new StoreException(link.name() + " gave an answer that makes no sense", false, e));
            }
        }
    }

    /**
     * A call's element in the timeout queue. It stays there after the call has completed, but then references nothing.
     */
    private static final class UnderWay {
        private final ScriptLink link;
        private volatile @Nullable CompletableFuture<List<Reply>> answer;

        private UnderWay(CompletableFuture<List<Reply>> answer, ScriptLink link) {
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
                link.name() + " did not answer within " + link.timeout().toMillis() + " ms", true, null);
    }
}
