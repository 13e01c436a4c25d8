package dev.weir.remote;

import dev.weir.Answer;
import dev.weir.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Carries questions to a backend: those that come while a call is in flight travel together in the next one.
 *
 * <p>With nothing under way a question leaves at once, alone, in the thread that asks: combining adds no wait. The more
 * the backend has to do, the more each call carries, so a hot key costs the fewest calls when it is hottest. Nobody
 * takes a lock, and nobody waits in {@link #ask}, except for a trip that its own thread makes.
 *
 * @param <Q> what is asked
 * @param <A> what is answered
 */
public final class Combiner<Q, A> implements AutoCloseable {
    /** So many calls without a waiting thread show that callers use callbacks. */
    static final int UNTIL_CALLED_BACK = 16;

    private final Trip<Q, A> trip;
    private final Weigher<? super Q> weigher;
    private final CombinerOptions options;
    private final LongSupplier nanoClock;
    private final long longestWaitNanos;
    private final SpinWait spinWait;

    private final ConcurrentLinkedQueue<Question<Q, A, ?>> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicInteger busyLanes = new AtomicInteger();
    private final AtomicInteger underWay = new AtomicInteger();
    /** How many different questions the latest trip carries. */
    private volatile int differentLately;

    /** How many calls ended in a row while no thread waited, up to {@link #UNTIL_CALLED_BACK}. */
    private volatile int callsWithoutThreads;

    private final LongAdder trips = new LongAdder();
    private final LongAdder carried = new LongAdder();
    private volatile boolean closed;

    public Combiner(Trip<Q, A> trip, CombinerOptions options) {
        this(trip, question -> 1, options);
    }

    public Combiner(Trip<Q, A> trip, Weigher<? super Q> weigher, CombinerOptions options) {
        this(trip, weigher, options, System::nanoTime);
    }

    Combiner(Trip<Q, A> trip, Weigher<? super Q> weigher, CombinerOptions options, LongSupplier nanoClock) {
        this.trip = trip;
        this.weigher = weigher;
        this.options = options;
        this.nanoClock = nanoClock;
        this.longestWaitNanos = options.longestWait().toNanos();
        this.spinWait = options.spinWait() == null ? SpinWait.yielding() : options.spinWait();
    }

    /** Asks a question on the next trip: now, if a lane is free. */
    public Answer<A> ask(Q question) {
        return ask(question, Answer::of);
    }

    /**
     * Asks a question on the next trip: now, if a lane is free.
     *
     * @param read what is made of what the trip brings back; where that was misuse or a failure of this question alone, it is
     *     an answer that failed
     */
    public <T> Answer<T> ask(Q question, Function<? super A, Answer<T>> read) {
        if (closed) {
            return failed("the store is closed", false);
        }
        if (waiting.incrementAndGet() > options.mostWaiting()) {
            waiting.decrementAndGet();
            return failed("more than " + options.mostWaiting() + " calls wait for the store already", true);
        }
        var asked = new Question<Q, A, T>(question, read, nanoClock.getAsLong(), spinWait);
        queue.add(asked);
        if (closed) {
            turnAllAway();
        } else {
            departure();
        }
        return asked;
    }

    /** How many calls were made so far. */
    public long trips() {
        return trips.sum();
    }

    /** How many questions were carried so far; those that were turned away are not among them. */
    public long carried() {
        return carried.sum();
    }

    /** How many questions wait for a lane. */
    public int waiting() {
        return waiting.get();
    }

    /** Turns away what waits and what still comes; what is under way arrives. */
    @Override
    public void close() {
        closed = true;
        turnAllAway();
    }

    /** Sends what waits, if there is a lane for it. */
    private void departure() {
        // Whoever frees a lane looks at the queue afterwards, and whoever queues looks at the lanes afterwards: one of
        // them sees the other.
        if (isWorthALane() && takeLane()) {
            Executor drivers = options.drivers();
            if (drivers == null || !handedTo(drivers)) {
                travel(Driver.ASKER);
            }
        }
    }

    /** Whether what waits should not wait for those who are under way: one of them goes on with all that is there then. */
    private boolean isWorthALane() {
        int least = options.leastBeside();
        return least == 0
                || busyLanes.get() == 0
                || (waiting.get() >= least && (isCalledBack() || differentLately >= least));
    }

    /**
     * Whether all callers use callbacks. Then equal questions are worth several calls in flight, too: the backend works on one
     * while the callbacks of another run. Threads that wait are better off with one, which wakes them all.
     */
    private boolean isCalledBack() {
        return callsWithoutThreads >= UNTIL_CALLED_BACK;
    }

    private int mostLanes() {
        return options.leastBeside() > 0 && isCalledBack() ? options.lanesCalledBack() : options.lanes();
    }

    /** Whose thread makes a trip. */
    private enum Driver {
        /** Of one who came to ask: it makes one trip only. */
        ASKER,
        /** The relay's or a driver's, which is there for this. */
        HIRED,
        /** The one in which a trip has ended, which has other things to do. */
        PASSER_BY
    }

    /** Makes trips on a lane that this thread holds, until one is under way or nothing waits. */
    private void travel(Driver driver) {
        while (true) {
            List<Question<Q, A, ?>> party = board();
            if (party.isEmpty()) {
                busyLanes.decrementAndGet();
                if (queue.isEmpty() || !takeLane()) {
                    return;
                }
                continue;
            }
            if (!queue.isEmpty()) {
                departure();
            }
            var journey = new Journey(party);
            // The stage that comes of it says nothing new.
            var unused = start(party).whenComplete(journey::arrive);
            if (journey.goesOnAlone()) {
                return;
            }
            journey.tell();
            if (driver == Driver.ASKER && !queue.isEmpty() && handedTo(options.relay())) {
                return;
            }
            if (driver == Driver.HIRED) {
                letAskAgain(party.size());
            }
        }
    }

    /** Those who were just answered come along if they are let run first. Costs nothing when nobody was. */
    @SuppressWarnings("ThreadPriorityCheck") // Nothing relies on the yield: without it trips carry less.
    private void letAskAgain(int answered) {
        if (answered > waiting.get()) {
            Thread.yield();
        }
    }

    /** Has another thread go on with this lane. */
    private boolean handedTo(Executor others) {
        try {
            others.execute(() -> travel(Driver.HIRED));
            return true;
        } catch (RejectedExecutionException e) {
            // Better this thread than nobody: what waits must not be stranded.
            return false;
        }
    }

    /** Takes from the queue what goes on the next trip. */
    private List<Question<Q, A, ?>> board() {
        var party = new ArrayList<Question<Q, A, ?>>();
        long now = nanoClock.getAsLong();
        long room = options.mostTogether();
        int share = share();
        boolean calledBack = isCalledBack();
        int different = 0;
        Question<Q, A, ?> last = null;
        while (room > 0 && (calledBack ? party.size() : different) < share) {
            Question<Q, A, ?> next = queue.poll();
            if (next == null) {
                break;
            }
            waiting.decrementAndGet();
            if (now - next.askedAt > longestWaitNanos) {
                next.fail(new StoreException(
                        "the store did not get to this call within " + options.longestWait(), true, null));
                continue;
            }
            party.add(next);
            room -= weigher.weight(next.question);
            if (last == null || !weigher.isLightBeside(last.question, next.question)) {
                different++;
            }
            last = next;
        }
        if (!party.isEmpty()) {
            differentLately = different;
            underWay.addAndGet(party.size());
        }
        return party;
    }

    /** How many different questions a trip carries, so that all lanes have as much to do. */
    private int share() {
        int all = waiting.get() + underWay.get();
        int least = options.leastBeside();
        int lanes = mostLanes();
        return least == 0 || all < 2 * least ? Integer.MAX_VALUE : (all + lanes - 1) / lanes;
    }

    private CompletionStage<List<A>> start(List<Question<Q, A, ?>> party) {
        var questions = new ArrayList<Q>(party.size());
        for (Question<Q, A, ?> each : party) {
            questions.add(each.question);
        }
        trips.increment();
        carried.add(party.size());
        try {
            return trip.make(questions);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private boolean takeLane() {
        while (true) {
            int busy = busyLanes.get();
            if (busy >= mostLanes()) {
                return false;
            }
            if (busyLanes.compareAndSet(busy, busy + 1)) {
                return true;
            }
        }
    }

    private void turnAllAway() {
        for (Question<Q, A, ?> next = queue.poll(); next != null; next = queue.poll()) {
            waiting.decrementAndGet();
            next.fail(new StoreException("the store is closed", false, null));
        }
    }

    private static <A> Answer<A> failed(String message, boolean retryable) {
        return Promise.failed(new StoreException(message, retryable, null));
    }

    /** A question on its way, which is its own answer. */
    private static final class Question<Q, A, T> extends Promise<T> {
        private final Q question;
        private final Function<? super A, Answer<T>> read;
        private final long askedAt;

        private Question(Q question, Function<? super A, Answer<T>> read, long askedAt, SpinWait spinWait) {
            super(spinWait);
            this.question = question;
            this.read = read;
            this.askedAt = askedAt;
        }

        private void arrived(A answer) {
            try {
                follow(read.apply(answer));
            } catch (RuntimeException e) {
                fail(new StoreException("the answer could not be used", false, e));
            }
        }
    }

    /**
     * A trip that may be over before the thread that started it looks. Whoever of the two comes second goes on with the
     * lane, so that a thousand trips that end at once are a loop and not a thousand nested calls.
     */
    private final class Journey {
        private final List<Question<Q, A, ?>> party;
        private final AtomicInteger met = new AtomicInteger();
        private @Nullable List<A> answers;
        private @Nullable Throwable failure;

        private Journey(List<Question<Q, A, ?>> party) {
            this.party = party;
        }

        private void arrive(@Nullable List<A> given, @Nullable Throwable error) {
            answers = given;
            failure = error;
            if (met.getAndIncrement() == 1) {
                tell();
                if (spinWait.pays()) {
                    letAskAgain(party.size());
                }
                travel(Driver.PASSER_BY);
            }
        }

        /** Whether the trip is still under way, so that its end goes on with the lane. */
        private boolean goesOnAlone() {
            return met.getAndIncrement() == 0;
        }

        /** Gives everyone the answer: before the next trip, so that those who ask again at once can join it. */
        private void tell() {
            underWay.addAndGet(-party.size());
            noteCallers();
            List<A> given = answers;
            if (given != null && given.size() == party.size()) {
                for (int i = 0; i < given.size(); i++) {
                    party.get(i).arrived(given.get(i));
                }
            } else {
                StoreException told = told(failure);
                for (Question<Q, A, ?> each : party) {
                    each.fail(told);
                }
            }
        }
    }

    /** Notes at the end of a call whether a thread has waited since the last one. A lost update is corrected by the next call. */
    private void noteCallers() {
        int calls = callsWithoutThreads;
        if (spinWait.hasThreadWaited()) {
            callsWithoutThreads = 0;
        } else if (calls < UNTIL_CALLED_BACK) {
            callsWithoutThreads = calls + 1;
        }
    }

    private static StoreException told(@Nullable Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        if (cause instanceof StoreException known) {
            return known;
        }
        return cause == null
                ? new StoreException(
                        "the store gave another number of answers than it was asked questions", false, null)
                : new StoreException("the store failed", true, cause);
    }
}
