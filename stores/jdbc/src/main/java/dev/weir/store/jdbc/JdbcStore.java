package dev.weir.store.jdbc;

import dev.weir.Answer;
import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.Key;
import dev.weir.Settlement;
import dev.weir.Store;
import dev.weir.StoreArguments;
import dev.weir.ledger.LedgerDecision;
import dev.weir.remote.Batcher;
import dev.weir.remote.Promise;
import dev.weir.store.jdbc.rows.DatabaseMaintenance;
import dev.weir.store.jdbc.rows.RowCharge;
import dev.weir.store.jdbc.rows.RowKey;
import dev.weir.store.jdbc.rows.SqlRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A store in a SQL database: SQLite, in this process, or PostgreSQL.
 *
 * <p>Exact: any number of processes on one database together never admit more than a policy allows. The clock is the
 * database's (SQLite: the machine's). A clock that is set back counts as standing still. Requests that arrive while a
 * batch is in flight are sent together in the next one; each is still all or nothing. A denied request writes nothing.
 * When the database fails, every result fails with a {@link dev.weir.StoreException} within the timeout, and no write
 * is partial.
 */
public final class JdbcStore implements Store {
    private final DatabaseMaintenance maintenance;
    private final Batcher<SqlRequest, Object> batcher;
    /** Identifies the decisions of this store. */
    private final Object mark;

    private final Duration deadline;
    private volatile boolean closed;

    JdbcStore(DatabaseMaintenance maintenance, Batcher<SqlRequest, Object> batcher, Object mark, Duration deadline) {
        this.maintenance = maintenance;
        this.batcher = batcher;
        this.mark = mark;
        this.deadline = deadline;
    }

    /**
     * Opens the store of a URI: {@code jdbc:sqlite:FILE} or {@code jdbc:postgresql://…}, with options in the query.
     * Open a {@link JdbcBackend} for settings and responses in the same database.
     *
     * @throws IllegalArgumentException if the URI is wrong; the message does not repeat it
     * @throws dev.weir.StoreException if the database cannot be reached or its tables cannot be used
     */
    public static JdbcStore open(String uri) {
        return JdbcBackend.open(uri).store();
    }

    @Override
    public Answer<Decision> consume(List<Charge> charges) {
        StoreArguments.checkOpen(closed);
        StoreArguments.checkConsumed(charges);
        return ask(SqlRequest.consume(RowCharge.all(charges)));
    }

    @Override
    public Answer<Decision> peek(List<Charge> charges) {
        StoreArguments.checkOpen(closed);
        StoreArguments.checkCharges(charges);
        return ask(SqlRequest.peek(RowCharge.all(charges)));
    }

    @Override
    public Answer<Boolean> refund(Decision decision) {
        StoreArguments.checkOpen(closed);
        LedgerDecision own = LedgerDecision.of(mark, decision);
        return own.refundOnce() ? refundOnce(own) : Answer.of(false);
    }

    private Answer<Boolean> refundOnce(LedgerDecision own) {
        String reservation = own.reservation();
        if (reservation != null) {
            return ask(SqlRequest.onHold(
                    RowKey.ofReservation(reservation),
                    operations -> operations.refundReservation(reservation, own.storeTime())));
        }
        List<RowCharge> asked = RowCharge.all(own.charges());
        return ask(SqlRequest.of(asked, null, transactionRows -> {
            transactionRows.operations().refund(own.spent(asked));
            return true;
        }));
    }

    @Override
    public Answer<Boolean> reset(List<Key> keys) {
        StoreArguments.checkOpen(closed);
        return keys.isEmpty()
                ? Answer.of(true)
                : ask(SqlRequest.reset(keys.stream().map(RowKey::of).distinct().toList()));
    }

    @Override
    public Answer<Decision> reserve(String id, List<Charge> charges, Duration ttl) {
        StoreArguments.checkOpen(closed);
        StoreArguments.checkId(id);
        StoreArguments.checkConsumed(charges);
        List<RowCharge> asked = RowCharge.all(charges);
        long ttlMicros = StoreArguments.ttlMicros(ttl);
        return ask(SqlRequest.of(
                asked,
                RowKey.ofReservation(id),
                transactionRows ->
                        transactionRows.decision(transactionRows.operations().reserve(id, asked, ttlMicros), id)));
    }

    @Override
    public Answer<Settlement> settle(String id, Map<String, Long> costs) {
        StoreArguments.checkOpen(closed);
        StoreArguments.checkCosts(costs);
        Map<String, Long> actual = Map.copyOf(costs);
        return ask(SqlRequest.onHold(RowKey.ofReservation(id), operations -> operations.settle(id, actual)));
    }

    @Override
    public Answer<Settlement> cancel(String id) {
        StoreArguments.checkOpen(closed);
        return ask(SqlRequest.onHold(RowKey.ofReservation(id), operations -> operations.cancel(id)));
    }

    @Override
    public Answer<Boolean> prolong(String id, Duration ttl) {
        StoreArguments.checkOpen(closed);
        long ttlMicros = StoreArguments.ttlMicros(ttl);
        return ask(SqlRequest.onHold(RowKey.ofReservation(id), operations -> operations.prolong(id, ttlMicros)));
    }

    @Override
    public Answer<Decision> acquire(String id, List<Charge> charges, Duration ttl) {
        StoreArguments.checkOpen(closed);
        StoreArguments.checkId(id);
        StoreArguments.checkCharges(charges);
        List<RowCharge> asked = RowCharge.all(charges);
        long ttlMicros = StoreArguments.ttlMicros(ttl);
        return ask(SqlRequest.of(
                asked,
                RowKey.ofLease(id),
                transactionRows ->
                        transactionRows.decision(transactionRows.operations().acquire(id, asked, ttlMicros), null)));
    }

    @Override
    public Answer<Boolean> renew(String id, Duration ttl) {
        StoreArguments.checkOpen(closed);
        long ttlMicros = StoreArguments.ttlMicros(ttl);
        return ask(SqlRequest.onHold(RowKey.ofLease(id), operations -> operations.renew(id, ttlMicros)));
    }

    @Override
    public Answer<Boolean> release(String id) {
        StoreArguments.checkOpen(closed);
        return ask(SqlRequest.onHold(RowKey.ofLease(id), operations -> operations.release(id)));
    }

    @Override
    public Duration deadline() {
        return deadline;
    }

    /** Removes expired rows now. The store also does this by itself periodically. */
    public void sweep() {
        maintenance.sweep();
    }

    /** How many batches were sent so far. */
    public long batches() {
        return batcher.batches();
    }

    /** How many requests these batches had. */
    public long batchedRequests() {
        return batcher.batchedRequests();
    }

    @Override
    public void close() {
        closed = true;
        batcher.close();
        maintenance.close();
    }

    private <T> Answer<T> ask(SqlRequest sqlRequest) {
        return batcher.ask(sqlRequest, Promise::ofResult);
    }
}
