package dev.weir.store.jdbc.rows;

import dev.weir.Key;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * When the store first saw the policies whose buckets do not start full, as far as this process knows. A time that is
 * written never changes. Safe for use by any number of threads.
 */
public final class PolicyFirstSeen {
    private final Map<SqlPolicy, Long> known = new ConcurrentHashMap<>();

    /** The lock that is held while the time of a policy is written. */
    public static long lock(SqlPolicy sqlPolicy) {
        return RowKey.of(Key.of("met", sqlPolicy.text())).lock();
    }

    @Nullable
    public Long knownAt(SqlPolicy sqlPolicy) {
        return known.get(sqlPolicy);
    }

    public List<SqlPolicy> unknownOf(Collection<SqlPolicy> asked) {
        return asked.stream().filter(sqlPolicy -> !known.containsKey(sqlPolicy)).toList();
    }

    /** Caches times that are committed. */
    public void remember(Map<SqlPolicy, Long> met) {
        known.putAll(met);
    }

    /** Adds the times that a transaction still needs. A policy without a time gets the current one. */
    public void complete(Map<SqlPolicy, Long> met, Collection<SqlPolicy> needed, long nowMicros, Connection connection)
            throws SQLException {
        for (SqlPolicy sqlPolicy : unknownOf(needed)) {
            if (!met.containsKey(sqlPolicy)) {
                Long at = find(sqlPolicy, connection);
                met.put(sqlPolicy, at == null ? nowMicros : at);
            }
        }
    }

    /**
     * When the store first saw the policy.
     *
     * @param met the times that the transaction has loaded
     */
    public long firstSeenAt(SqlPolicy sqlPolicy, Map<SqlPolicy, Long> met) {
        Long at = known.getOrDefault(sqlPolicy, met.get(sqlPolicy));
        if (at == null) {
            throw new IllegalStateException("a policy is used that was not loaded");
        }
        return at;
    }

    private static @Nullable Long find(SqlPolicy sqlPolicy, Connection connection) throws SQLException {
        try (PreparedStatement find = connection.prepareStatement("SELECT at FROM weir_met WHERE policy = ?")) {
            find.setString(1, sqlPolicy.text());
            try (ResultSet found = find.executeQuery()) {
                return found.next() ? found.getLong(1) : null;
            }
        }
    }
}
