package dev.weir.store.jdbc;

import dev.weir.spi.StoreUri;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.postgresql.Driver;
import org.postgresql.PGProperty;

/**
 * A parsed store URI: the URL for the driver, and Weir's options, which are removed from the query.
 *
 * <p>Options that PostgreSQL's driver knows stay in its URL. SQLite's driver gets no options.
 *
 * @param url the URL for the driver
 */
record JdbcUri(boolean isSqlite, String url, JdbcStoreOptions options) {
    static final String SQLITE = "jdbc:sqlite:";
    static final String POSTGRESQL = "jdbc:postgresql:";

    private static final List<String> OURS =
            List.of("timeout", "synchronous", "max-in-flight", "cleanup", "poll", "migrate", "spin");

    /**
     * Reads a URI.
     *
     * @throws IllegalArgumentException if it is wrong; the message does not repeat it, as it may hold a password
     */
    static JdbcUri parse(String uri) {
        boolean sqlite = uri.startsWith(SQLITE);
        if (!sqlite && !uri.startsWith(POSTGRESQL)) {
            throw new IllegalArgumentException("the store's URI must begin with " + SQLITE + " or " + POSTGRESQL
                    + "; other databases are not supported");
        }
        StoreUri parsed =
                StoreUri.parse(uri, "SQL", OURS, sqlite ? name -> false : name -> PGProperty.forName(name) != null);
        String base = parsed.base();
        if (base.length() == (sqlite ? SQLITE : POSTGRESQL).length()) {
            throw new IllegalArgumentException(
                    sqlite ? "jdbc:sqlite: names no file" : "jdbc:postgresql: names no database");
        }
        if (base.startsWith(SQLITE + ":")) {
            // The driver's own names: a database in memory, or one that it would fetch from anywhere.
            throw new IllegalArgumentException(
                    "jdbc:sqlite: must name a file, such as jdbc:sqlite:/var/lib/weir/limits.db;"
                            + " limits that need not be kept have the store 'memory'");
        }
        if (!sqlite && base.contains("@")) {
            throw new IllegalArgumentException(
                    "the store's URI has an @; PostgreSQL's driver takes user and password as"
                            + " options, ?user=USER&password=PASSWORD");
        }
        String url = parsed.passedOn().isEmpty() ? base : base + "?" + String.join("&", parsed.passedOn());
        if (!sqlite && Driver.parseURL(url, null) == null) {
            throw new IllegalArgumentException("the store's URI is none of PostgreSQL's; it must be"
                    + " jdbc:postgresql://HOST:PORT/DATABASE?user=USER&password=PASSWORD, in which a % stands before two"
                    + " hexadecimal digits");
        }
        return new JdbcUri(sqlite, url, options(parsed));
    }

    private static JdbcStoreOptions options(StoreUri uri) {
        JdbcStoreOptions defaults = JdbcStoreOptions.defaults();
        JdbcStoreOptions options = defaults.withTimeout(uri.duration("timeout", defaults.timeout()))
                .withPoll(uri.duration("poll", defaults.poll()))
                .withMigrate(uri.flag("migrate", defaults.migrate()))
                .withSpin(uri.flag("spin", defaults.spin()));
        String cleanup = uri.option("cleanup");
        if (cleanup != null) {
            options = options.withCleanup(cleanup.equals("never") ? null : uri.duration("cleanup", Duration.ZERO));
        }
        String maxInFlight = uri.option("max-in-flight");
        if (maxInFlight != null) {
            options = options.withMaxInFlight(maxInFlight(maxInFlight));
        }
        String synchronous = uri.option("synchronous");
        return synchronous == null ? options : options.withDurability(durability(synchronous));
    }

    private static JdbcStoreOptions.Durability durability(String value) {
        return switch (value.toLowerCase(Locale.ROOT)) {
            case "full" -> JdbcStoreOptions.Durability.FULL;
            case "normal" -> JdbcStoreOptions.Durability.NORMAL;
            default ->
                throw new IllegalArgumentException(
                        "synchronous is '" + StoreUri.shown(value) + "'; it must be full or normal");
        };
    }

    private static int maxInFlight(String value) {
        int number = value.matches("[0-9]{1,3}") ? Integer.parseInt(value) : 0;
        if (number < 1 || number > 64) {
            throw new IllegalArgumentException("max-in-flight is '" + StoreUri.shown(value) + "'; it must be 1 to 64");
        }
        return number;
    }
}
