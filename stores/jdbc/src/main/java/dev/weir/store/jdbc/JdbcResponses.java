package dev.weir.store.jdbc;

import dev.weir.Answer;
import dev.weir.Key;
import dev.weir.StoreException;
import dev.weir.remote.Promise;
import dev.weir.spi.idempotency.BeginResult;
import dev.weir.spi.idempotency.ResponseStore;
import dev.weir.spi.idempotency.ResponseStoreArguments;
import dev.weir.store.jdbc.rows.Database;
import dev.weir.store.jdbc.rows.RowKey;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Responses in the database, by idempotency key. Only one node at a time executes the request of a key.
 *
 * <p>Each call is one transaction under the key's lock, by the database's clock, in a worker thread.
 */
final class JdbcResponses implements ResponseStore {
    private final Database database;
    private final Executor threads;

    JdbcResponses(Database database, Executor threads) {
        this.database = database;
        this.threads = threads;
    }

    @SuppressWarnings("ArrayRecordComponent") // Never compared, and never changed.
    private record Entry(String owner, byte[] request, byte @Nullable [] answer, long endsAt) {
        boolean isBegunBy(String token) {
            return answer == null && owner.equals(token);
        }
    }

    @Override
    public Answer<BeginResult> begin(Key key, byte[] request, Duration processingTimeout) {
        ResponseStoreArguments.checkDigest(request);
        ResponseStoreArguments.checkTime("processingTimeout", processingTimeout);
        byte[] digest = request.clone();
        RowKey row = row(key);
        return later(() -> database.transaction(row.lock(), false, (connection, now) -> {
            Entry known = find(connection, row, now);
            if (known == null) {
                String token = UUID.randomUUID().toString();
                put(connection, row, new Entry(token, digest, null, now + processingTimeout.toNanos() / 1_000));
                return new BeginResult.Begun(token);
            }
            if (!Arrays.equals(known.request, digest)) {
                return new BeginResult.OtherRequest();
            }
            return known.answer == null ? new BeginResult.InFlight() : new BeginResult.Done(known.answer);
        }));
    }

    @Override
    public Answer<Boolean> complete(Key key, String token, byte[] response, Duration ttl) {
        ResponseStoreArguments.checkResponse(response);
        ResponseStoreArguments.checkTime("ttl", ttl);
        byte[] answer = response.clone();
        RowKey row = row(key);
        return later(() -> database.transaction(row.lock(), false, (connection, now) -> {
            Entry known = find(connection, row, now);
            if (known == null || !known.isBegunBy(token)) {
                return false;
            }
            put(connection, row, new Entry(token, known.request, answer, now + ttl.toNanos() / 1_000));
            return true;
        }));
    }

    @Override
    public Answer<Boolean> abandon(Key key, String token) {
        RowKey row = row(key);
        return later(() -> database.transaction(row.lock(), false, (connection, now) -> {
            Entry known = find(connection, row, now);
            if (known == null || !known.isBegunBy(token)) {
                return false;
            }
            try (PreparedStatement remove = connection.prepareStatement("DELETE FROM weir_response WHERE key = ?")) {
                remove.setBytes(1, row.bytes());
                return remove.executeUpdate() == 1;
            }
        }));
    }

    /** The database stays open: the store closes it. */
    @Override
    public void close() {}

    private static RowKey row(Key key) {
        return RowKey.of(Key.of("response", key.text()));
    }

    private <T> Answer<T> later(Supplier<T> work) {
        Promise<T> promise = new Promise<>();
        try {
            threads.execute(() -> {
                try {
                    promise.complete(work.get());
                } catch (StoreException e) {
                    promise.fail(e);
                } catch (RuntimeException e) {
                    promise.fail(new StoreException("the response could not be looked up", true, e));
                }
            });
        } catch (RejectedExecutionException e) {
            promise.fail(new StoreException("the store is closed", false, e));
        }
        return promise;
    }

    /** The row of a key, unless it has expired. */
    private static @Nullable Entry find(Connection connection, RowKey key, long now) throws SQLException {
        try (PreparedStatement find = connection.prepareStatement(
                "SELECT owner, request, answer, ends_at FROM weir_response WHERE key = ? AND ends_at > ?")) {
            find.setBytes(1, key.bytes());
            find.setLong(2, now);
            try (ResultSet row = find.executeQuery()) {
                return row.next()
                        ? new Entry(row.getString(1), row.getBytes(2), row.getBytes(3), row.getLong(4))
                        : null;
            }
        }
    }

    private static void put(Connection connection, RowKey key, Entry entry) throws SQLException {
        try (PreparedStatement put = connection.prepareStatement(
                "INSERT INTO weir_response (key, owner, request, answer, ends_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT (key)"
                        + " DO UPDATE SET owner = excluded.owner, request = excluded.request, answer = excluded.answer,"
                        + " ends_at = excluded.ends_at")) {
            put.setBytes(1, key.bytes());
            put.setString(2, entry.owner);
            put.setBytes(3, entry.request);
            put.setBytes(4, entry.answer);
            put.setLong(5, entry.endsAt);
            put.executeUpdate();
        }
    }
}
