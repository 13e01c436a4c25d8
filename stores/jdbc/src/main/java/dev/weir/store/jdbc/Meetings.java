package dev.weir.store.jdbc;

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
        return asked.stream().filter(terms -> !known.containsKey(terms)).toList();
    }

    /** Remembers meetings that are committed, or about to be: should that fail, the next to ask finds another time. */
    void remember(Map<Terms, Long> met) {
        known.putAll(met);
    }

    /** Adds to what a transaction has found what it needs besides. A policy that nobody has met is met now. */
    void complete(Map<Terms, Long> met, Collection<Terms> needed, long nowMicros, Connection connection)
            throws SQLException {
        for (Terms terms : unknownOf(needed)) {
            if (!met.containsKey(terms)) {
                Long at = find(terms, connection);
                met.put(terms, at == null ? nowMicros : at);
            }
        }
    }

    /**
     * When the policy was met.
     *
     * @param met what the transaction knows, completed
     */
    long metAt(Terms terms, Map<Terms, Long> met) {
        Long at = known.getOrDefault(terms, met.get(terms));
        if (at == null) {
            throw new IllegalStateException("a policy is used that was not asked for");
        }
        return at;
    }

    private static @Nullable Long find(Terms terms, Connection connection) throws SQLException {
        try (PreparedStatement find = connection.prepareStatement("SELECT at FROM weir_met WHERE policy = ?")) {
            find.setString(1, terms.text());
            try (ResultSet found = find.executeQuery()) {
                return found.next() ? found.getLong(1) : null;
            }
        }
    }
}
