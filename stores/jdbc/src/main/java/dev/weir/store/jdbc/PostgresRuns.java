package dev.weir.store.jdbc;

import dev.weir.FixedWindow;
import dev.weir.StoreException;
import dev.weir.TokenBucket;
import dev.weir.ledger.LedgerDecision;
import dev.weir.ledger.Moment;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The usual trip: requests of one charge each, in one call of {@code weir_take}. Equal charges on one key are a run, so that
 * a hot key is one row however many ask for it.
 *
 * <p>As with {@link PostgresBatch}, core's ledgers decide once more on what the function found, make the readings, and must
 * admit as many. Not safe for use by several threads.
 */
final class PostgresRuns {
    private static final String TAKE = "SELECT now, wall, took, seen, a, b FROM weir_take(?, ?, ?, ?, ?, ?, ?)";
    /** How many numbers {@code weir_take} is told of each key. */
    private static final int NUMBERS = 6;

    private final Object store;
    private final List<Question> questions;
    private final List<Run> runs = new ArrayList<>();
    /** By the index of a question, its run. */
    private final Run[] runOf;

    /** Equal charges on one key. */
    private static final class Run {
        private final Asked asked;
        private int count;
        private boolean foreign;
        private long took;

        Run(Asked asked) {
            this.asked = asked;
        }

        boolean takes(Asked other) {
            return asked.terms().text().equals(other.terms().text())
                    && asked.charge().cost() == other.charge().cost();
        }
    }

    private PostgresRuns(Object store, List<Question> questions) {
        this.store = store;
        this.questions = questions;
        this.runOf = new Run[questions.size()];
    }

    /** The questions as runs; null if one of them is of another kind. */
    static @Nullable PostgresRuns of(List<Question> questions, Object store) {
        PostgresRuns all = new PostgresRuns(store, questions);
        Map<RowKey, Run> byKey = new HashMap<>();
        for (int i = 0; i < questions.size(); i++) {
            Asked asked = simple(questions.get(i));
            if (asked == null) {
                return null;
            }
            Run run = byKey.get(asked.key());
            if (run == null) {
                run = new Run(asked);
                byKey.put(asked.key(), run);
                all.runs.add(run);
            } else if (!run.takes(asked)) {
                return null;
            }
            run.count++;
            all.runOf[i] = run;
        }
        return all;
    }

    private static @Nullable Asked simple(Question question) {
        if (question instanceof Question.Consume consume && consume.asked().size() == 1) {
            Asked asked = consume.asked().get(0);
            boolean known = asked.terms().policy() instanceof FixedWindow
                    || (asked.terms().policy() instanceof TokenBucket
                            && !asked.terms().startsFilling());
            return known ? asked : null;
        }
        return null;
    }

    /** Makes the call. Never to be made again: none of these policies follows the calendar. */
    PostgresBatch.Outcome call(Connection connection, long latest, @Nullable GivenClock given) throws SQLException {
        try (PreparedStatement call = connection.prepareStatement(TAKE)) {
            bind(call);
            call.setLong(5, latest);
            PostgresTransaction.setClock(call, 6, given);
            PostgresTransaction.setWall(call, 7, given);
            try (ResultSet found = call.executeQuery()) {
                found.next();
                return decided(found);
            }
        }
    }

    private void bind(PreparedStatement call) throws SQLException {
        int count = runs.size();
        List<RowKey> keys = new ArrayList<>(count);
        String[] policies = new String[count];
        long[] numbers = new long[NUMBERS * count];
        long[] locks = new long[count];
        for (int i = 0; i < count; i++) {
            Run run = runs.get(i);
            Counting counting = Counting.of(run.asked.terms(), 0, 0);
            keys.add(run.asked.key());
            locks[i] = run.asked.key().lock();
            policies[i] = run.asked.terms().text();
            numbers[NUMBERS * i] = counting.kind();
            numbers[NUMBERS * i + 1] = counting.most();
            numbers[NUMBERS * i + 2] = counting.n();
            numbers[NUMBERS * i + 3] = counting.keepMicros();
            numbers[NUMBERS * i + 4] = Counting.units(run.asked);
            numbers[NUMBERS * i + 5] = run.count;
        }
        Arrays.sort(locks);
        PostgresConnections.setLongs(call, 1, locks);
        PostgresConnections.setKeys(call, 2, keys);
        PostgresConnections.setTexts(call, 3, policies);
        PostgresConnections.setLongs(call, 4, numbers);
    }

    private PostgresBatch.Outcome decided(ResultSet found) throws SQLException {
        Moment now = new Moment(found.getLong(1), found.getLong(2));
        long[] took = numbers(found, 3);
        long[] seen = numbers(found, 4);
        long[] a = numbers(found, 5);
        long[] b = numbers(found, 6);
        Workspace workspace = new Workspace(store, now, terms -> 0);
        for (int i = 0; i < runs.size(); i++) {
            Run run = runs.get(i);
            run.took = took[i];
            run.foreign = seen[i] == 2;
            workspace.add(
                    seen[i] == 1
                            ? Row.found(run.asked.key(), run.asked.terms(), new States(a[i], b[i], null))
                            : Row.absent(run.asked.key()));
        }
        return new PostgresBatch.Outcome(answers(workspace), now, false);
    }

    private @Nullable Object[] answers(Workspace workspace) {
        @Nullable Object[] answers = new @Nullable Object[runOf.length];
        for (int i = 0; i < answers.length; i++) {
            if (!runOf[i].foreign) {
                LedgerDecision decision = (LedgerDecision) questions.get(i).decide(workspace);
                runOf[i].took -= decision.admitted() ? 1 : 0;
                answers[i] = decision;
            }
        }
        for (Run run : runs) {
            if (run.took != 0) {
                throw new StoreException(
                        "weir_take admitted another number of requests than fit; its definition is not the one of this"
                                + " version of Weir",
                        false,
                        null);
            }
        }
        return answers;
    }

    private long[] numbers(ResultSet found, int column) throws SQLException {
        long[] numbers = Objects.requireNonNull(PostgresTransaction.numbers(found.getArray(column)));
        if (numbers.length != runs.size()) {
            throw new StoreException("weir_take told of another number of keys than it was asked for", false, null);
        }
        return numbers;
    }
}
