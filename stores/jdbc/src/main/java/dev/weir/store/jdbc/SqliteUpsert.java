package dev.weir.store.jdbc;

import dev.weir.FixedWindow;
import dev.weir.Reading;
import dev.weir.TokenBucket;
import dev.weir.algorithm.Ledger;
import dev.weir.algorithm.Meter;
import dev.weir.ledger.LedgerDecision;
import dev.weir.ledger.Moment;
import dev.weir.ledger.Outcome;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The common case in one statement: a lone charge on a token bucket or a fixed window that fits.
 *
 * <p>It spends and answers a row, or it changes nothing and answers none, because the charge does not fit, or because the
 * key is kept by another policy: then the ledgers decide. Its arithmetic is theirs; the histories hold it to that.
 */
final class SqliteUpsert {
    /** By the numbers of the parameters: 1 key, 2 policy, 3 units, 4 clock, 5 time to fill, 6 per tick, 7 full. */
    private static final String BUCKET = """
            INSERT INTO weir_budget (key, policy, a, b, whole_at)
            SELECT ?1, ?2, ?3, ?4 + ahead, ?4 + ahead + ?5 FROM weir_clock WHERE true
            ON CONFLICT (key) DO UPDATE SET
              a = excluded.a + LEFT_OVER, b = max(b, excluded.b), whole_at = excluded.whole_at
            WHERE policy = excluded.policy AND excluded.a + LEFT_OVER <= ?7
            RETURNING a, b, whole_at
            """.replace("LEFT_OVER", """
                    CASE WHEN excluded.b <= b THEN a
                         WHEN excluded.b - b >= (a + ?6 - 1) / ?6 THEN 0
                         ELSE a - (excluded.b - b) * ?6 END""");

    /** 1 key, 2 policy, 3 cost, 4 clock, 5 period, 6 limit. */
    private static final String WINDOW = """
            INSERT INTO weir_budget (key, policy, a, b, whole_at)
            SELECT ?1, ?2, ?4 + ahead, ?3, ?4 + ahead + ?5 FROM weir_clock WHERE true
            ON CONFLICT (key) DO UPDATE SET
              a = CASE WHEN b = 0 OR excluded.a - a >= ?5 THEN excluded.a ELSE min(a, excluded.a) END,
              b = excluded.b + CASE WHEN excluded.a - a >= ?5 THEN 0 ELSE b END,
              whole_at = excluded.whole_at
            WHERE policy = excluded.policy AND (excluded.a - a >= ?5 OR b + excluded.b <= ?6)
            RETURNING a, b, whole_at
            """;

    private final SqliteConnection connection;
    private final Object store;
    private final Map<Terms, Numbers> numbers = new HashMap<>();

    SqliteUpsert(SqliteConnection connection, Object store) {
        this.connection = connection;
        this.store = store;
    }

    /** A question that the statement may answer. */
    record Simple(List<Asked> asked) {
        Asked only() {
            return asked.get(0);
        }
    }

    /** What the statement needs of a policy: how long a row carries information, and the parameters after it. */
    private record Numbers(String sql, long perUnit, long keepMicros, long sixth, long seventh) {
        static Numbers of(Terms terms) {
            if (terms.policy() instanceof FixedWindow window) {
                return new Numbers(WINDOW, 1, window.period().toNanos() / 1_000, window.limit(), 0);
            }
            Meter.BucketUnits units = terms.meter().bucketUnits();
            if (units == null) {
                throw new IllegalArgumentException(terms.policy() + " is not simple");
            }
            long fills = (units.full() + units.perTick() - 1) / units.perTick();
            return new Numbers(BUCKET, units.perToken(), fills, units.perTick(), units.full());
        }
    }

    /** The question, if it may be answered so. */
    static @Nullable Simple simple(Question question) {
        if (question instanceof Question.Consume consume && consume.asked().size() == 1) {
            Asked asked = consume.asked().get(0);
            boolean known = asked.terms().policy() instanceof FixedWindow
                    || (asked.terms().policy() instanceof TokenBucket
                            && !asked.terms().startsFilling());
            if (known && asked.charge().cost() <= asked.terms().policy().capacity()) {
                return new Simple(consume.asked());
            }
        }
        return null;
    }

    /** Spends, or answers null. */
    @Nullable
    LedgerDecision admit(Simple simple, long rawMicros, long wallMillis) throws SQLException {
        Asked asked = simple.only();
        Terms terms = asked.terms();
        long cost = asked.charge().cost();
        Numbers numbers = this.numbers.computeIfAbsent(terms, Numbers::of);
        PreparedStatement statement = connection.statement(numbers.sql);
        statement.setBytes(1, asked.key().bytes());
        statement.setString(2, terms.text());
        statement.setLong(3, cost * numbers.perUnit);
        statement.setLong(4, rawMicros);
        statement.setLong(5, numbers.keepMicros);
        statement.setLong(6, numbers.sixth);
        if (numbers.seventh > 0) {
            statement.setLong(7, numbers.seventh);
        }
        try (ResultSet row = statement.executeQuery()) {
            if (!row.next()) {
                return null;
            }
            long now = row.getLong(3) - numbers.keepMicros;
            Ledger ledger = terms.resume(row.getLong(1), row.getLong(2));
            Reading reading = terms.meter().read(ledger, true, cost, now);
            return new LedgerDecision(
                    store,
                    Asked.charges(simple.asked),
                    List.of(reading),
                    Outcome.Kind.SPENT,
                    new Moment(now, wallMillis),
                    new long[1],
                    null);
        }
    }
}
