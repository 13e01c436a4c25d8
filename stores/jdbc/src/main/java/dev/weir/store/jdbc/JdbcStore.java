package dev.weir.store.jdbc;

import dev.weir.Answer;
import dev.weir.Charge;
import dev.weir.Concurrency;
import dev.weir.Decision;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.Settlement;
import dev.weir.Store;
import dev.weir.remote.Combiner;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Budgets in a SQL database: SQLite, in this process, or PostgreSQL.
 *
 * <p>Exact: any number of processes on one database together admit what a policy allows and never more. The clock is the
 * database's (SQLite: the machine's); one that is set back counts as standing still. Decisions that come while a trip is
 * under way travel together in the next one; each is still all or nothing. A refusal writes nothing. When the database
 * fails, every answer fails with a {@link dev.weir.StoreException} within the timeout, and nothing is half done.
 */
public final class JdbcStore implements Store {
    private static final int LONGEST_ID = 256;

    private final Lifeline lifeline;
    private final Combiner<Question, Object> combiner;
    /** What marks this store's decisions. */
    private final Object mark;

    private final Duration deadline;

    JdbcStore(Lifeline lifeline, Combiner<Question, Object> combiner, Object mark, Duration deadline) {
        this.lifeline = lifeline;
        this.combiner = combiner;
        this.mark = mark;
        this.deadline = deadline;
    }

    /**
     * Opens the store of a URI: {@code jdbc:sqlite:FILE} or {@code jdbc:postgresql://…}, with options in the query. Who
     * wants settings or responses, too, opens a {@link JdbcBackend}.
     *
     * @throws IllegalArgumentException if the URI is wrong; the message does not repeat it
     * @throws dev.weir.StoreException if the database cannot be reached or its tables cannot be used
     */
    public static JdbcStore open(String uri) {
        return JdbcBackend.open(uri).store();
    }

    @Override
    public Answer<Decision> consume(List<Charge> charges) {
        checkBudgets(charges);
        return ask(new Question.Consume(Asked.all(charges)));
    }

    @Override
    public Answer<Decision> peek(List<Charge> charges) {
        checkCharges(charges);
        return ask(new Question.Peek(Asked.all(charges)));
    }

    @Override
    public Answer<Boolean> refund(Decision decision) {
        if (!(decision instanceof JdbcDecision own) || own.store() != mark) {
            throw new IllegalArgumentException("the decision was made by another store; give it back there");
        }
        return own.claimRefund() ? ask(new Question.Refund(own)) : Answer.of(false);
    }

    @Override
    public Answer<Boolean> reset(List<Key> keys) {
        return keys.isEmpty()
                ? Answer.of(true)
                : ask(new Question.Reset(
                        keys.stream().map(RowKey::of).distinct().toList()));
    }

    @Override
    public Answer<Decision> reserve(String id, List<Charge> charges, Duration ttl) {
        checkId(id);
        checkBudgets(charges);
        return ask(new Question.Reserve(mark, id, RowKey.ofReservation(id), Asked.all(charges), micros(ttl)));
    }

    @Override
    public Answer<Settlement> settle(String id, Map<String, Long> costs) {
        costs.forEach((scope, cost) -> {
            if (cost < 0 || cost > Policy.MAX_COUNT) {
                throw new IllegalArgumentException(
                        "the cost for '" + scope + "' is " + cost + "; it must be 0 to " + Policy.MAX_COUNT);
            }
        });
        return ask(new Question.Close(RowKey.ofReservation(id), Map.copyOf(costs)));
    }

    @Override
    public Answer<Settlement> cancel(String id) {
        return ask(new Question.Close(RowKey.ofReservation(id), null));
    }

    @Override
    public Answer<Boolean> prolong(String id, Duration ttl) {
        return ask(new Question.Prolong(RowKey.ofReservation(id), micros(ttl)));
    }

    @Override
    public Answer<Decision> acquire(String id, List<Charge> charges, Duration ttl) {
        checkId(id);
        checkCharges(charges);
        return ask(new Question.Acquire(id, RowKey.ofLease(id), Asked.all(charges), micros(ttl)));
    }

    @Override
    public Answer<Boolean> renew(String id, Duration ttl) {
        return ask(new Question.Renew(id, RowKey.ofLease(id), micros(ttl)));
    }

    @Override
    public Answer<Boolean> release(String id) {
        return ask(new Question.Release(id, RowKey.ofLease(id)));
    }

    @Override
    public Duration deadline() {
        return deadline;
    }

    /** Removes now what carries no information any more, as the store does by itself from time to time. */
    public void sweep() {
        lifeline.sweep();
    }

    /** How many trips to the database were made so far. */
    public long trips() {
        return combiner.trips();
    }

    /** How many questions they carried. */
    public long carried() {
        return combiner.carried();
    }

    @Override
    public void close() {
        combiner.close();
        lifeline.close();
    }

    @SuppressWarnings("unchecked") // Every question's answer is what its call answers.
    private <T> Answer<T> ask(Question question) {
        return new TripAnswer<>((Answer<T>) combiner.ask(question));
    }

    private static void checkBudgets(List<Charge> charges) {
        checkCharges(charges);
        for (int i = 0; i < charges.size(); i++) {
            if (charges.get(i).policy() instanceof Concurrency) {
                throw new IllegalArgumentException("slots are held by a lease and not consumed; use acquire");
            }
        }
    }

    private static void checkCharges(List<Charge> charges) {
        if (charges.isEmpty()) {
            throw new IllegalArgumentException("there are no charges; a decision needs at least one");
        }
        for (int i = 1; i < charges.size(); i++) {
            Charge charge = charges.get(i);
            for (int before = 0; before < i; before++) {
                Charge other = charges.get(before);
                if (other.key().equals(charge.key()) && !other.policy().equals(charge.policy())) {
                    throw new IllegalArgumentException(
                            charge.key() + " is charged under two policies in one decision; a key has one");
                }
            }
        }
    }

    private static void checkId(String id) {
        if (id.isEmpty() || id.length() > LONGEST_ID) {
            throw new IllegalArgumentException(
                    "id has " + id.length() + " characters; it must have 1 to " + LONGEST_ID);
        }
    }

    private static long micros(Duration ttl) {
        if (ttl.isNegative() || ttl.isZero() || ttl.compareTo(LONGEST_TTL) > 0) {
            throw new IllegalArgumentException("ttl is " + ttl + "; it must be positive and at most " + LONGEST_TTL);
        }
        return Math.max(1, ttl.toNanos() / 1_000);
    }
}
