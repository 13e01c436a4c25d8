package dev.weir.store.jdbc.sqlite;

import dev.weir.Reading;
import dev.weir.algorithm.Ledger;
import dev.weir.ledger.LedgerDecision;
import dev.weir.ledger.LedgerOutcome;
import dev.weir.ledger.StoreTime;
import dev.weir.store.jdbc.rows.RowCharge;
import dev.weir.store.jdbc.rows.SqlPolicy;
import dev.weir.store.jdbc.rows.SqlPolicyParameters;
import dev.weir.store.jdbc.rows.SqlRequest;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The fast path of SQLite: one statement for a single charge on a token bucket or a fixed window.
 *
 * <p>The statement spends and returns a row, or it changes nothing and returns no row. In the latter case the charge
 * does not fit, or another policy governs the key, and the ledgers decide. The statement computes as the ledgers do;
 * tests of random histories compare them.
 */
final class SqliteUpsert {
    /** The parameters: 1 key, 2 policy, 3 units, 4 clock, 5 time to fill, 6 full, 7 per tick. */
    private static final String BUCKET = """
            INSERT INTO weir_budget (key, policy, a, b, whole_at)
            SELECT ?1, ?2, ?3, ?4 + ahead, ?4 + ahead + ?5 FROM weir_clock WHERE true
            ON CONFLICT (key) DO UPDATE SET
              a = excluded.a + LEFT_OVER, b = max(b, excluded.b), whole_at = excluded.whole_at
            WHERE policy = excluded.policy AND excluded.a + LEFT_OVER <= ?6
            RETURNING a, b, whole_at
            """.replace("LEFT_OVER", """
                    CASE WHEN excluded.b <= b THEN a
                         WHEN excluded.b - b >= (a + ?7 - 1) / ?7 THEN 0
                         ELSE a - (excluded.b - b) * ?7 END""");

    /** The parameters: 1 key, 2 policy, 3 cost, 4 clock, 5 period, 6 limit. */
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

    SqliteUpsert(SqliteConnection connection, Object store) {
        this.connection = connection;
        this.store = store;
    }

    /** Whether the statement may decide a request. */
    static boolean isFor(SqlRequest sqlRequest) {
        if (sqlRequest.kind() != SqlRequest.Kind.CONSUME || sqlRequest.asked().size() > 1) {
            return false;
        }
        RowCharge asked = sqlRequest.asked().get(0);
        int kind = asked.sqlPolicy().counting().kind();
        return (kind == SqlPolicyParameters.FIXED
                        || (kind == SqlPolicyParameters.BUCKET
                                && !asked.sqlPolicy().startsFilling()))
                && asked.cost() <= asked.sqlPolicy().policy().capacity();
    }

    /** Spends and returns the decision, or returns null if the ledgers must decide. */
    @Nullable
    LedgerDecision admit(SqlRequest sqlRequest, long rawMicros, long wallMillis) throws SQLException {
        RowCharge asked = sqlRequest.asked().get(0);
        SqlPolicy sqlPolicy = asked.sqlPolicy();
        SqlPolicyParameters counting = sqlPolicy.counting();
        boolean bucket = counting.kind() == SqlPolicyParameters.BUCKET;
        PreparedStatement statement = connection.statement(bucket ? BUCKET : WINDOW);
        statement.setBytes(1, asked.key().bytes());
        statement.setString(2, sqlPolicy.text());
        statement.setLong(3, counting.units(asked.cost(), 0));
        statement.setLong(4, rawMicros);
        statement.setLong(5, counting.keepMicros());
        statement.setLong(6, counting.most());
        if (bucket) {
            statement.setLong(7, counting.n());
        }
        try (ResultSet row = statement.executeQuery()) {
            if (!row.next()) {
                return null;
            }
            long now = row.getLong(3) - counting.keepMicros();
            Ledger ledger = sqlPolicy.resume(row.getLong(1), row.getLong(2));
            Reading reading = sqlPolicy.model().read(ledger, true, asked.cost(), now);
            // Steps to the end of the statement, which commits it. If the commit fails, this throws; close() would not.
            boolean unused = row.next();
            return new LedgerDecision(
                    store,
                    RowCharge.charges(sqlRequest.asked()),
                    List.of(reading),
                    LedgerOutcome.Kind.SPENT,
                    new StoreTime(now, wallMillis),
                    new long[1],
                    null);
        }
    }
}
