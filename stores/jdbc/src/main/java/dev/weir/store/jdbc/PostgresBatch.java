package dev.weir.store.jdbc;

import dev.weir.Concurrency;
import dev.weir.StoreException;
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
import org.jspecify.annotations.Nullable;

/**
 * Decisions and peeks that travel together in one call of {@code weir_consume}: one round trip, one commit.
 *
 * <p>The function counts where the rows are, and tells what it found there. From that core's ledgers decide once more,
 * here: they make the readings, and must come to the same number of admissions. A request on a key that another policy
 * keeps is left to {@link PostgresTransaction}. Not safe for use by several threads.
 */
final class PostgresBatch {
    private static final String CONSUME =
            "SELECT i, seen, a, b, more FROM weir_consume(" + "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

    private final Object store;
    private final Meetings meetings;
    private final List<Question> questions = new ArrayList<>();
    private final Map<RowKey, Integer> indexes = new HashMap<>();
    private final List<RowKey> keys = new ArrayList<>();
    private final List<Terms> terms = new ArrayList<>();

    PostgresBatch(Object store, Meetings meetings) {
        this.store = store;
        this.meetings = meetings;
    }

    /** Takes a question along, if the function can decide it. */
    boolean add(Question question) {
        List<Asked> asked = askedBy(question);
        if (asked == null || !asked.stream().allMatch(this::isCountable)) {
            return false;
        }
        for (Asked one : asked) {
            if (indexes.putIfAbsent(one.key(), keys.size()) == null) {
                keys.add(one.key());
                terms.add(one.terms());
            }
        }
        questions.add(question);
        return true;
    }

    private static @Nullable List<Asked> askedBy(Question question) {
        if (question instanceof Question.Consume consume) {
            return consume.asked();
        }
        return question instanceof Question.Peek peek ? peek.asked() : null;
    }

    private boolean isCountable(Asked asked) {
        Integer index = indexes.get(asked.key());
        return !(asked.charge().policy() instanceof Concurrency)
                && (!asked.terms().startsFilling() || meetings.knownAt(asked.terms()) != null)
                && (index == null
                        || terms.get(index).text().equals(asked.terms().text()));
    }

    boolean isEmpty() {
        return questions.isEmpty();
    }

    List<Question> questions() {
        return questions;
    }

    /**
     * What became of the questions.
     *
     * @param answers one for each, null for those left undecided
     * @param now when it was decided; if {@code again}, the time for which calendar windows are needed
     */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    record Outcome(@Nullable Object[] answers, Moment now, boolean again) {}

    /** Makes the call. */
    Outcome call(Connection connection, long latest, long wallMillis, @Nullable GivenClock given) throws SQLException {
        int count = keys.size();
        Row[] rows = new Row[count];
        boolean[] foreign = new boolean[count];
        Moment now = null;
        int admitted = 0;
        try (PreparedStatement call = connection.prepareStatement(CONSUME)) {
            bindKeys(call, wallMillis);
            bindCharges(call);
            call.setLong(14, latest);
            PostgresTransaction.setClock(call, 15, given);
            PostgresTransaction.setWall(call, 16, given);
            try (ResultSet found = call.executeQuery()) {
                while (found.next()) {
                    int index = found.getInt(1) - 1;
                    if (index < 0) {
                        admitted = found.getInt(2);
                        now = new Moment(found.getLong(3), found.getLong(4));
                    } else {
                        foreign[index] = found.getInt(2) == 2;
                        rows[index] = found.getInt(2) == 1 ? row(index, found) : Row.absent(keys.get(index));
                    }
                }
            }
        }
        if (now == null) {
            throw new StoreException("weir_consume told no time; its definition is not Weir's", false, null);
        }
        return admitted < 0 ? new Outcome(new @Nullable Object[0], now, true) : decided(rows, foreign, now, admitted);
    }

    private Row row(int index, ResultSet found) throws SQLException {
        States states = new States(found.getLong(3), found.getLong(4), PostgresTransaction.numbers(found.getArray(5)));
        return Row.found(keys.get(index), terms.get(index), states);
    }

    private Outcome decided(Row[] rows, boolean[] foreign, Moment now, int admitted) {
        Workspace workspace = new Workspace(store, now, this::metAt);
        for (Row row : rows) {
            workspace.add(row);
        }
        @Nullable Object[] answers = new @Nullable Object[questions.size()];
        int count = 0;
        for (int i = 0; i < answers.length; i++) {
            if (!touches(questions.get(i), foreign)) {
                answers[i] = questions.get(i).decide(workspace);
                count += questions.get(i) instanceof Question.Consume
                                && answers[i] instanceof LedgerDecision decision
                                && decision.admitted()
                        ? 1
                        : 0;
            }
        }
        if (count != admitted) {
            throw new StoreException(
                    "weir_consume admitted " + admitted + " requests where " + count
                            + " fit; its definition is not the one of this version of Weir",
                    false,
                    null);
        }
        return new Outcome(answers, now, false);
    }

    private long metAt(Terms asked) {
        Long at = meetings.knownAt(asked);
        return at == null ? 0 : at;
    }

    private boolean touches(Question question, boolean[] foreign) {
        List<Asked> asked = askedBy(question);
        for (int i = 0; asked != null && i < asked.size(); i++) {
            Integer index = indexes.get(asked.get(i).key());
            if (index == null || foreign[index]) {
                return true;
            }
        }
        return false;
    }

    // The call's arguments.

    private void bindKeys(PreparedStatement call, long wallMillis) throws SQLException {
        int count = keys.size();
        String[] texts = new String[count];
        int[] kinds = new int[count];
        long[][] numbers = new long[6][count];
        long[] locks = new long[count];
        for (int i = 0; i < count; i++) {
            Counting counting = Counting.of(terms.get(i), metAt(terms.get(i)), wallMillis);
            texts[i] = terms.get(i).text();
            kinds[i] = counting.kind();
            numbers[0][i] = counting.most();
            numbers[1][i] = counting.n();
            numbers[2][i] = counting.m();
            numbers[3][i] = counting.a0();
            numbers[4][i] = counting.b0();
            numbers[5][i] = counting.keepMicros();
            locks[i] = keys.get(i).lock();
        }
        Arrays.sort(locks);
        PostgresConnections.setLongs(call, 1, locks);
        PostgresConnections.setKeys(call, 2, keys);
        PostgresConnections.setTexts(call, 3, texts);
        PostgresConnections.setInts(call, 4, kinds);
        for (int i = 0; i < numbers.length; i++) {
            PostgresConnections.setLongs(call, 5 + i, numbers[i]);
        }
    }

    private void bindCharges(PreparedStatement call) throws SQLException {
        int charges = 0;
        int requests = 0;
        for (Question question : questions) {
            if (question instanceof Question.Consume consume) {
                charges += consume.asked().size();
                requests++;
            }
        }
        int[] first = new int[requests + 1];
        int[] rows = new int[charges];
        long[] units = new long[charges];
        int at = 0;
        int request = 0;
        for (Question question : questions) {
            if (question instanceof Question.Consume consume) {
                first[request++] = at + 1;
                for (Asked asked : consume.asked()) {
                    Integer index = indexes.get(asked.key());
                    rows[at] = index == null ? 0 : index + 1;
                    units[at++] = Counting.units(asked);
                }
            }
        }
        first[request] = at + 1;
        PostgresConnections.setInts(call, 11, first);
        PostgresConnections.setInts(call, 12, rows);
        PostgresConnections.setLongs(call, 13, units);
    }
}
