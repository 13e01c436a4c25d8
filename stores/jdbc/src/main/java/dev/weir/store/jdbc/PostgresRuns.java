package dev.weir.store.jdbc;

import dev.weir.FixedWindow;
import dev.weir.StoreException;
import dev.weir.algorithm.Meter;
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
 * Plain checks, in one call of {@code weir_take}: one statement, one round trip, one commit. Equal charges on one key are a
 * run, so that a hot key is one row however many ask for it.
 *
 * <p>The function counts where the rows are, and tells what it found there. From that core's ledgers make the readings, and
 * must admit as many: a function of another version of Weir is found out. Not safe for use by several threads.
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

        /** The run as {@code weir_take} counts; its comment says what the numbers mean. */
        long[] numbers() {
            long cost = asked.charge().cost();
            boolean possible = cost <= asked.terms().policy().capacity();
            Meter.BucketUnits bucket = asked.terms().meter().bucketUnits();
            if (bucket != null) {
                long fills = (bucket.full() + bucket.perTick() - 1) / bucket.perTick();
                long units = possible ? cost * bucket.perToken() : bucket.full() + 1;
                return new long[] {1, bucket.full(), bucket.perTick(), fills, units, count};
            }
            FixedWindow window = (FixedWindow) asked.terms().policy();
            long period = window.period().toNanos() / 1_000;
            return new long[] {2, window.limit(), period, period, possible ? cost : window.limit() + 1, count};
        }
    }

    private PostgresRuns(Object store, List<Question> questions) {
        this.store = store;
        this.questions = questions;
        this.runOf = new Run[questions.size()];
    }

    /** The questions as runs; null if one of them is no plain check, or asks for more or less than others on its key. */
    static @Nullable PostgresRuns of(List<Question> questions, Object store) {
        PostgresRuns all = new PostgresRuns(store, questions);
        Map<RowKey, Run> byKey = new HashMap<>();
        for (int i = 0; i < questions.size(); i++) {
            Asked asked = questions.get(i).plain();
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

    /**
     * What became of the questions.
     *
     * @param answers one for each, null for those on keys that another policy keeps
     * @param now when it was decided, in microseconds
     */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    record Outcome(@Nullable Object[] answers, long now) {}

    /** Makes the call. */
    Outcome call(Connection connection, long latest, @Nullable GivenClock given) throws SQLException {
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
            keys.add(run.asked.key());
            locks[i] = run.asked.key().lock();
            policies[i] = run.asked.terms().text();
            System.arraycopy(run.numbers(), 0, numbers, NUMBERS * i, NUMBERS);
        }
        Arrays.sort(locks);
        PostgresConnections.setLongs(call, 1, locks);
        PostgresConnections.setKeys(call, 2, keys);
        PostgresConnections.setTexts(call, 3, policies);
        PostgresConnections.setLongs(call, 4, numbers);
    }

    private Outcome decided(ResultSet found) throws SQLException {
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
        return new Outcome(answers(workspace), now.micros());
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
