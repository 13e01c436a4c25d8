package dev.weir.store.jdbc;

import dev.weir.Concurrency;
import dev.weir.StoreException;
import dev.weir.ledger.LedgerDecision;
import dev.weir.ledger.StoreTime;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks and peeks that travel together in one call of {@code weir_check}: one round trip, one commit. Equal checks are a run,
 * so that a hot key is one row and one count however many ask for it.
 *
 * <p>The function counts where the rows are, and tells what it found there. From that core's ledgers decide once more,
 * here: they make the readings, and must come to the same number of admissions. What it cannot decide, such as a charge on a
 * key that another policy keeps, is left to {@link PostgresTransaction}. Not safe for use by several threads.
 */
final class PostgresBatch {
    private static final String CHECK = "SELECT seen, a, b, more FROM weir_check(?, ?, ?, ?, ?, ?, ?, ?)";

    private final Object store;
    private final PolicyFirstSeen policyFirstSeen;
    private final List<SqlRequest> sqlRequests;
    private final Map<RowKey, Target> targets = new LinkedHashMap<>();
    private final List<Run> runs = new ArrayList<>();
    /** By the index of a question, its run; null for one that the function cannot decide. */
    private final @Nullable Run[] runOf;

    private final @Nullable Object[] answers;

    /** A key, and the policy that its charges name. */
    private static final class Target {
        private final int index;
        private final SqlPolicy sqlPolicy;
        /** The last run that charges it. */
        private @Nullable Run last;

        private boolean undecided;

        Target(int index, SqlPolicy sqlPolicy) {
            this.index = index;
            this.sqlPolicy = sqlPolicy;
        }
    }

    /** Equal checks, which no other separates on any of their keys. */
    private static final class Run {
        private final List<RowCharge> asked;
        private int count;
        /** How many fewer the function has admitted than the ledgers. */
        private long difference;

        Run(List<RowCharge> asked) {
            this.asked = asked;
        }

        boolean takes(List<RowCharge> others) {
            boolean same = others.size() == asked.size();
            for (int i = 0; same && i < asked.size(); i++) {
                same = others.get(i).key().equals(asked.get(i).key())
                        && others.get(i).cost() == asked.get(i).cost();
            }
            return same;
        }
    }

    PostgresBatch(Object store, PolicyFirstSeen policyFirstSeen, List<SqlRequest> sqlRequests) {
        this.store = store;
        this.policyFirstSeen = policyFirstSeen;
        this.sqlRequests = sqlRequests;
        this.runOf = new @Nullable Run[sqlRequests.size()];
        this.answers = new @Nullable Object[sqlRequests.size()];
        for (int i = 0; i < runOf.length; i++) {
            SqlRequest sqlRequest = sqlRequests.get(i);
            if (sqlRequest.kind() != SqlRequest.Kind.OTHER
                    && sqlRequest.asked().stream().allMatch(this::isCountable)) {
                runOf[i] = runOf(sqlRequest);
            }
        }
    }

    private boolean isCountable(RowCharge asked) {
        Target known = targets.get(asked.key());
        return !(asked.charge().policy() instanceof Concurrency)
                && (!asked.sqlPolicy().startsFilling() || policyFirstSeen.knownAt(asked.sqlPolicy()) != null)
                && (known == null
                        || known.sqlPolicy.text().equals(asked.sqlPolicy().text()));
    }

    private Run runOf(SqlRequest sqlRequest) {
        List<RowCharge> asked = sqlRequest.asked();
        Run last = null;
        boolean joins = true;
        for (RowCharge one : asked) {
            Target target = targets.computeIfAbsent(one.key(), key -> new Target(targets.size() + 1, one.sqlPolicy()));
            last = last == null ? target.last : last;
            joins &= last != null && target.last == last;
        }
        boolean spends = sqlRequest.kind() == SqlRequest.Kind.CONSUME;
        Run run = spends && joins && last != null && last.takes(asked) ? last : new Run(asked);
        if (spends) {
            if (run != last) {
                runs.add(run);
                asked.forEach(one -> target(one).last = run);
            }
            run.count++;
        }
        return run;
    }

    private Target target(RowCharge asked) {
        Target target = targets.get(asked.key());
        if (target == null) {
            throw new IllegalStateException("a key is used that was not asked for");
        }
        return target;
    }

    /** Whether there is nothing that the function can decide. */
    boolean isEmpty() {
        return targets.isEmpty();
    }

    /** By the index of a question, its answer; null for one left undecided. */
    @Nullable
    Object[] answers() {
        return answers;
    }

    /** Answers what would have been decided by a failure. */
    void fail(StoreException failure) {
        for (int i = 0; i < runOf.length; i++) {
            answers[i] = runOf[i] == null ? null : failure;
        }
    }

    /**
     * Makes the call.
     *
     * @param wallMillis the time for which calendar windows are sent along
     * @return when it was decided
     */
    StoreTime call(Connection connection, long latest, long wallMillis, @Nullable GivenClock given)
            throws SQLException {
        try (PreparedStatement call = connection.prepareStatement(CHECK)) {
            bindKeys(call, wallMillis);
            PostgresConnections.setLongs(call, 5, runNumbers());
            call.setLong(6, latest);
            call.setObject(7, given == null ? null : given.micros(), Types.BIGINT);
            call.setObject(8, given == null ? null : given.wallMillis(), Types.BIGINT);
            try (ResultSet found = call.executeQuery()) {
                return decide(found);
            }
        }
    }

    private StoreTime decide(ResultSet found) throws SQLException {
        require(found.next());
        StoreTime now = new StoreTime(found.getLong(2), found.getLong(3));
        long[] taken = PostgresConnections.numbers(found.getArray(4));
        require((taken == null ? 0 : taken.length) == runs.size());
        for (int i = 0; taken != null && i < taken.length; i++) {
            runs.get(i).difference = -taken[i];
        }
        TransactionRows transactionRows = new TransactionRows(store, now, this::firstSeenAt);
        for (Map.Entry<RowKey, Target> entry : targets.entrySet()) {
            require(found.next());
            Target target = entry.getValue();
            target.undecided = found.getInt(1) == 2;
            transactionRows.add(
                    found.getInt(1) == 1
                            ? BudgetRow.found(entry.getKey(), target.sqlPolicy, PostgresConnections.states(found, 2))
                            : BudgetRow.absent(entry.getKey()));
        }
        for (int i = 0; i < runOf.length; i++) {
            Run run = runOf[i];
            if (run != null && run.asked.stream().noneMatch(one -> target(one).undecided)) {
                Object answer = sqlRequests.get(i).decide(transactionRows);
                run.difference += answer instanceof LedgerDecision decision && decision.admitted() ? 1 : 0;
                answers[i] = answer;
            }
        }
        require(runs.stream().allMatch(run -> run.difference == 0));
        return now;
    }

    private static void require(boolean same) {
        if (!same) {
            throw new StoreException(
                    "weir_check decided otherwise than its comment says; its definition is not the one of this version of"
                            + " Weir",
                    false,
                    null);
        }
    }

    private long firstSeenAt(SqlPolicy asked) {
        Long at = policyFirstSeen.knownAt(asked);
        return at == null ? 0 : at;
    }

    // The call's arguments.

    private void bindKeys(PreparedStatement call, long wallMillis) throws SQLException {
        int count = targets.size();
        List<RowKey> keys = List.copyOf(targets.keySet());
        String[] policies = new String[count];
        long[] numbers = new long[SqlPolicyParameters.NUMBERS * count];
        for (Target target : targets.values()) {
            SqlPolicy sqlPolicy = target.sqlPolicy;
            policies[target.index - 1] = sqlPolicy.text();
            SqlPolicyParameters counting = sqlPolicy.model().followsCalendar() || sqlPolicy.startsFilling()
                    ? SqlPolicyParameters.of(sqlPolicy.model(), firstSeenAt(sqlPolicy), wallMillis)
                    : sqlPolicy.counting();
            counting.writeTo(numbers, target.index - 1);
        }
        PostgresConnections.setLongs(
                call, 1, keys.stream().mapToLong(RowKey::lock).sorted().toArray());
        PostgresConnections.setKeys(call, 2, keys);
        PostgresConnections.setTexts(call, 3, policies);
        PostgresConnections.setLongs(call, 4, numbers);
    }

    /** Charges of one key are one: they fit if their sum does. */
    private long[] runNumbers() {
        long[] numbers =
                new long[runs.stream().mapToInt(run -> 2 + 2 * run.asked.size()).sum()];
        int end = 0;
        for (Run run : runs) {
            int start = end;
            end += 2;
            for (RowCharge asked : run.asked) {
                int index = target(asked).index;
                int at = start + 2;
                while (at < end && numbers[at] != index) {
                    at += 2;
                }
                end = Math.max(end, at + 2);
                numbers[at] = index;
                numbers[at + 1] = asked.sqlPolicy().counting().units(asked.cost(), numbers[at + 1]);
            }
            numbers[start] = run.count;
            numbers[start + 1] = (end - start) / 2 - 1L;
        }
        return Arrays.copyOf(numbers, end);
    }
}
