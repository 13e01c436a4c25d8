package dev.weir.store.jdbc;

import dev.weir.Key;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * When the store first met the policies whose buckets do not start full, as far as this process knows. Once written it
 * never changes. Safe for use by any number of threads.
 */
final class Meetings {
    private final Map<Terms, Long> known = new ConcurrentHashMap<>();

    /** The lock under which a policy is met. */
    static long lock(Terms terms) {
        return RowKey.of(Key.of("met", terms.text())).lock();
    }

    @Nullable
    Long knownAt(Terms terms) {
        return known.get(terms);
    }

    List<Terms> unknownOf(Collection<Terms> asked) {
        List<Terms> unknown = new ArrayList<>();
        for (Terms terms : asked) {
            if (!known.containsKey(terms)) {
                unknown.add(terms);
            }
        }
        return unknown;
    }

    /** Remembers meetings that are committed, or about to be: should that fail, the next to ask finds another time. */
    void remember(Map<Terms, Long> met) {
        known.putAll(met);
    }

    /**
     * When the policy was met, which may be now.
     *
     * @param met what the transaction knows
     */
    long metAt(Terms terms, long nowMicros, Map<Terms, Long> met, Connection connection) {
        Long at = known.getOrDefault(terms, met.get(terms));
        if (at == null) {
            at = find(terms, connection);
            at = at == null ? nowMicros : at;
            met.put(terms, at);
        }
        return at;
    }

    private static @Nullable Long find(Terms terms, Connection connection) {
        try (PreparedStatement find = connection.prepareStatement("SELECT at FROM weir_met WHERE policy = ?")) {
            find.setString(1, terms.text());
            try (ResultSet found = find.executeQuery()) {
                return found.next() ? found.getLong(1) : null;
            }
        } catch (SQLException e) {
            throw new SqliteTransaction.UncheckedSqlException(e);
        }
    }
}
