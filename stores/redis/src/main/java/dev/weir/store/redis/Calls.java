package dev.weir.store.redis;

import dev.weir.Answer;
import dev.weir.StoreException;
import dev.weir.engine.guard.Answers;
import dev.weir.engine.guard.Deadlines;
import dev.weir.remote.Combiner;
import dev.weir.remote.CombinerOptions;
import dev.weir.remote.Promise;
import io.lettuce.core.ScriptOutputType;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Asks the script: what comes while a call is in flight goes together in the next, and what the script must know besides
 * is told to it when it asks.
 *
 * <p>In Redis Cluster a call stays within one slot, so every tag has calls of its own.
 */
final class Calls implements AutoCloseable {
    /** A question that needs more than this to be explained will never be. */
    private static final int MOST_EXPLANATIONS = 64;

    /** Two lanes: while answers are told, Redis is at work on the next call. */
    private static final CombinerOptions TOGETHER =
            CombinerOptions.defaults().withLanes(2).withMostTogether(1_024);

    private final RedisLink link;
    private final RedisStoreOptions options;
    private final ScriptClock clock;
    private final KeyNames names;
    private final Replicated replicated;
    private final Deadlines deadlines;
    private final AtomicReferenceArray<@Nullable Combiner<Question, Reply>> combiners;
    private volatile boolean closed;

    Calls(RedisLink link, RedisStoreOptions options, ScriptClock clock, KeyNames names) {
        this.link = link;
        this.options = options;
        this.clock = clock;
        this.names = names;
        this.replicated = new Replicated(link, options);
        this.deadlines = new Deadlines(options.timeout());
        this.combiners = new AtomicReferenceArray<>(link.isCluster() ? KeyNames.TAGS : 1);
    }

    /** Asks, and makes something of the answer. */
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
        return Answers.then(
                combiner(question).ask(question),
                reply -> {
                    if (reply instanceof Reply.Unexplained more && explanations > 0) {
                        return explain(question, more, make, explanations - 1);
                    }
                    if (reply instanceof Reply.Wrong wrong) {
                        return Promise.failed(new StoreException("Redis: " + wrong.message(), false, null));
                    }
                    return make.apply(reply);
                },
                Promise::failed);
    }

    /** Finds out what the script must know of a policy, and asks again. */
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
            Combiner<Question, Reply> made =
                    new Combiner<>(this::travel, Question::weight, TOGETHER.withLongestWait(options.timeout()));
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

    /** One call of the script. */
    private final class Call {
        private final CallWriter out;
        private final int[] entryOf;
        private final CompletableFuture<List<Reply>> answered = new CompletableFuture<>();

        private Call(List<Question> questions) {
            int tag = link.isCluster() ? questions.get(0).tag() : 0;
            this.out = new CallWriter(names.clock(tag), clock.wallMillis());
            this.entryOf = new int[questions.size()];
            for (int i = 0; i < entryOf.length; i++) {
                entryOf[i] = out.question(questions.get(i));
            }
        }

        private CompletionStage<List<Reply>> made() {
            byte[][] arguments = clock.after(out.argument());
            CompletionStage<byte[]> made = options.replicas() > 0
                    ? replicated.decide(out.keys(), arguments)
                    : link.run(Script.DECIDE, ScriptOutputType.VALUE, out.keys(), arguments);
            var unused = made.whenComplete((bytes, failure) -> {
                if (failure != null) {
                    answered.completeExceptionally(failed(failure));
                } else {
                    arrive(bytes);
                }
            });
            if (!answered.isDone()) {
                deadlines.watch(
                        answered::isDone,
                        () -> answered.completeExceptionally(new StoreException(
                                "Redis did not answer within "
                                        + options.timeout().toMillis() + " ms",
                                true,
                                null)));
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
                        new StoreException("Redis gave an answer that makes no sense", false, e));
            }
        }
    }

    private static StoreException failed(Throwable failure) {
        return new StoreException("Redis failed: " + RedisLink.reason(failure), true, failure);
    }
}
