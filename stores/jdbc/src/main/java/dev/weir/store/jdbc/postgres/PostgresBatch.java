package dev.weir.store.jdbc.postgres;

import dev.weir.Concurrency;
import dev.weir.StoreException;
import dev.weir.ledger.LedgerDecision;
import dev.weir.ledger.StoreTime;
import dev.weir.store.jdbc.rows.BudgetRow;
import dev.weir.store.jdbc.rows.GivenClock;
import dev.weir.store.jdbc.rows.PolicyFirstSeen;
import dev.weir.store.jdbc.rows.RowCharge;
import dev.weir.store.jdbc.rows.RowKey;
import dev.weir.store.jdbc.rows.SqlPolicy;
import dev.weir.store.jdbc.rows.SqlPolicyParameters;
import dev.weir.store.jdbc.rows.SqlRequest;
import dev.weir.store.jdbc.rows.StateColumns;
import dev.weir.store.jdbc.rows.TransactionRows;
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
 * The checks and peeks of one batch, decided by one call of {@code weir_check}: one round trip and one commit.
 *
 * <p>Terms: a <em>target</em> is a key of the batch with the policy that its charges name. A <em>run</em> is a number
 * of equal checks. The function counts how many checks of a run fit; it does not look at each of them. So a hot key is
 * one row and one division, however many checks charge it.
 *
 * <p>The steps, all in the thread that sends the batch:
 *
 * <ol>
 *   <li>The constructor sorts the requests into runs. A check joins an earlier run if both charge the same keys with
 *       the same costs, and no other run charged one of these keys in between. So the order of the requests is kept on
 *       every key. A peek is a run of its own that the function is not told of: only its rows are read.
 *   <li>{@link #call} sends targets and runs. The function returns each row as it was before, and how many checks of
 *       each run it admitted: the first ones.
 *   <li>Core's ledgers decide each request again on these rows, in the order of the batch. They compute the readings.
 *       They must admit as many checks of each run as the function did; otherwise the call fails.
 * </ol>
 *
 * <p>Some requests take more than a count: reservations and leases, keys that are governed by another policy, a
 * calendar in another window, a clock that was set back. These stay without an answer here, and {@link
 * PostgresTransaction} decides them. Not safe for use by several threads.
 */
final class PostgresBatch {
    private static final String CHECK =
            "SELECT now, wall, taken, before, more FROM weir_check(?, ?, ?, ?, ?, ?, ?, ?, ?)";

    private final Object store;
    private final PolicyFirstSeen policyFirstSeen;
    private final List<SqlRequest> sqlRequests;
    private final Map<RowKey, Target> targets = new LinkedHashMap<>();
    private final List<Run> runs = new ArrayList<>();
    /** The run of each request; null if the function cannot decide the request. */
    private final @Nullable Run[] runOf;

    private final @Nullable Object[] answers;

    /** A key, and the policy that its charges name. */
    private static final class Target {
        private final int index;
        private final SqlPolicy sqlPolicy;
        /** The last run so far that charges it. */
        private @Nullable Run last;

        private boolean undecided;

        Target(int index, SqlPolicy sqlPolicy) {
            this.index = index;
            this.sqlPolicy = sqlPolicy;
        }
    }

    /** Equal checks without another run between them on any of their keys. */
    private static final class Run {
        private final List<RowCharge> asked;
        /** The target of each charge. */
        private final Target[] charged;

        private int count;
        /** How many more checks the ledgers have admitted than the function; 0 in the end. */
        private long difference;

        Run(List<RowCharge> asked, Target[] charged) {
            this.asked = asked;
            this.charged = charged;
        }

        boolean takes(List<RowCharge> others, Target[] theirs) {
            boolean same = Arrays.equals(charged, theirs);
            for (int i = 0; same && i < charged.length; i++) {
                same = others.get(i).cost() == asked.get(i).cost();
            }
            return same;
        }

        boolean isUndecided() {
            boolean undecided = false;
            for (Target target : charged) {
                undecided |= target.undecided;
            }
            return undecided;
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
            Target[] charged = sqlRequest.kind() == SqlRequest.Kind.OTHER ? null : targets(sqlRequest.asked());
            runOf[i] = charged == null ? null : runOf(sqlRequest, charged);
        }
    }

    /** The targets of charges; null if the function cannot count one of these. */
    private Target @Nullable [] targets(List<RowCharge> all) {
        Target[] charged = new Target[all.size()];
        for (int i = charged.length - 1; i >= 0; i--) {
            SqlPolicy sqlPolicy = all.get(i).sqlPolicy();
            if (sqlPolicy.policy() instanceof Concurrency
                    || (sqlPolicy.startsFilling() && policyFirstSeen.knownAt(sqlPolicy) == null)) {
                return null;
            }
        }
        for (int i = 0; i < charged.length; i++) {
            RowCharge asked = all.get(i);
            Target target = targets.get(asked.key());
            if (target == null) {
                target = new Target(targets.size() + 1, asked.sqlPolicy());
                targets.put(asked.key(), target);
            } else if (!target.sqlPolicy.text().equals(asked.sqlPolicy().text())) {
                return null;
            }
            charged[i] = target;
        }
        return charged;
    }

    private Run runOf(SqlRequest sqlRequest, Target[] charged) {
        Run last = charged[0].last;
        boolean joins = last != null;
        for (Target target : charged) {
            joins &= target.last == last;
        }
        boolean spends = sqlRequest.kind() == SqlRequest.Kind.CONSUME;
        Run run = spends && joins && last != null && last.takes(sqlRequest.asked(), charged)
                ? last
                : new Run(sqlRequest.asked(), charged);
        if (spends) {
            if (run != last) {
                runs.add(run);
                for (Target target : charged) {
                    target.last = run;
                }
            }
            run.count++;
        }
        return run;
    }

    /** Whether the function can decide none of the requests. */
    boolean isEmpty() {
        return targets.isEmpty();
    }

    /** The result of each request; null if it is undecided. */
    @Nullable
    Object[] answers() {
        return answers;
    }

    /** Makes a failure the result of all requests that the call should have decided. */
    void fail(StoreException failure) {
        for (int i = 0; i < runOf.length; i++) {
            answers[i] = runOf[i] == null ? null : failure;
        }
    }

    /**
     * Calls the function.
     *
     * @param wallMillis the time whose calendar windows are sent
     * @return the time of the decisions
     */
    StoreTime call(Connection connection, long latest, long wallMillis, @Nullable GivenClock given)
            throws SQLException {
        try (PreparedStatement call = connection.prepareStatement(CHECK)) {
            bindKeys(call, wallMillis);
            PostgresConnections.setLongs(call, 5, runNumbers());
            call.setBoolean(6, isSingle());
            call.setLong(7, latest);
            call.setObject(8, given == null ? null : given.micros(), Types.BIGINT);
            call.setObject(9, given == null ? null : given.wallMillis(), Types.BIGINT);
            try (ResultSet found = call.executeQuery()) {
                return decide(found);
            }
        }
    }

    private StoreTime decide(ResultSet found) throws SQLException {
        Arrays.fill(answers, null); // An earlier attempt, which was rolled back, may have left some.
        require(found.next());
        StoreTime now = new StoreTime(found.getLong(1), found.getLong(2));
        long[] taken = PostgresConnections.numbers(found.getArray(3));
        require((taken == null ? 0 : taken.length) == runs.size());
        for (int i = 0; taken != null && i < taken.length; i++) {
            runs.get(i).difference = -taken[i];
        }
        TransactionRows transactionRows = new TransactionRows(store, now, this::firstSeenAt);
        Long[][] before = (Long[][]) found.getArray(4).getArray();
        require(before.length == targets.size());
        long[] logs = PostgresConnections.numbers(found.getArray(5));
        int at = 0;
        for (Map.Entry<RowKey, Target> entry : targets.entrySet()) {
            Target target = entry.getValue();
            Long[] row = before[target.index - 1];
            long[] more = null;
            if (logs != null && target.sqlPolicy.counting().hasLog()) {
                int from = at + 1;
                at = from + Math.toIntExact(logs[at]);
                more = Arrays.copyOfRange(logs, from, at);
            }
            target.undecided = row[0] == 2;
            transactionRows.add(
                    row[0] == 1
                            ? BudgetRow.found(entry.getKey(), target.sqlPolicy, new StateColumns(row[1], row[2], more))
                            : BudgetRow.absent(entry.getKey()));
        }
        for (int i = 0; i < runOf.length; i++) {
            Run run = runOf[i];
            if (run != null && !run.isUndecided()) {
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
                    "weir_check did not behave as its comment describes; its definition is not the one of this version of"
                            + " Weir",
                    false,
                    null);
        }
    }

    private long firstSeenAt(SqlPolicy asked) {
        Long at = policyFirstSeen.knownAt(asked);
        return at == null ? 0 : at;
    }

    // The arguments of the call.

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

    /** Whether each run has one charge, on the key with the index of the run. */
    private boolean isSingle() {
        boolean single = runs.size() == targets.size();
        for (int i = 0; single && i < runs.size(); i++) {
            Target[] charged = runs.get(i).charged;
            single = charged.length == 1 && charged[0].index == i + 1;
        }
        return single;
    }

    /** Charges of one request on the same key are sent as one: they fit if their sum fits. */
    private long[] runNumbers() {
        long[] numbers =
                new long[runs.stream().mapToInt(run -> 2 + 2 * run.asked.size()).sum()];
        int end = 0;
        for (Run run : runs) {
            int start = end;
            end += 2;
            for (int i = 0; i < run.charged.length; i++) {
                RowCharge asked = run.asked.get(i);
                int index = run.charged[i].index;
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
