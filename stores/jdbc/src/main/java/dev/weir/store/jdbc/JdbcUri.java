package dev.weir.store.jdbc;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.postgresql.Driver;
import org.postgresql.PGProperty;

/**
 * A store's URI: the driver's part, and Weir's options, taken out of the query.
 *
 * <p>Of PostgreSQL's options those that its driver knows stay in the driver's part; SQLite's driver gets none.
 *
 * @param url what the driver is given
 */
record JdbcUri(boolean isSqlite, String url, JdbcStoreOptions options) {
    static final String SQLITE = "jdbc:sqlite:";
    static final String POSTGRESQL = "jdbc:postgresql:";

    private static final List<String> OURS =
            List.of("timeout", "synchronous", "lanes", "cleanup", "poll", "migrate", "spin");

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
        int query = uri.indexOf('?');
        String base = query < 0 ? uri : uri.substring(0, query);
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
        Map<String, String> own = new TreeMap<>();
        List<String> drivers = new ArrayList<>();
        Predicate<String> known = sqlite ? name -> false : name -> PGProperty.forName(name) != null;
        if (query >= 0) {
            split(uri.substring(query + 1), known, own, drivers);
        }
        String url = drivers.isEmpty() ? base : base + "?" + String.join("&", drivers);
        if (!sqlite && Driver.parseURL(url, null) == null) {
            throw new IllegalArgumentException("the store's URI is none of PostgreSQL's; it must be"
                    + " jdbc:postgresql://HOST:PORT/DATABASE?user=USER&password=PASSWORD, in which a % stands before two"
                    + " hexadecimal digits");
        }
        return new JdbcUri(sqlite, url, options(own));
    }

    private static void split(String query, Predicate<String> known, Map<String, String> own, List<String> drivers) {
        List<String> unknown = new ArrayList<>();
        for (String option : query.split("&", -1)) {
            if (option.isEmpty()) {
                continue;
            }
            int equals = option.indexOf('=');
            String name = equals < 0 ? option : option.substring(0, equals);
            if (OURS.contains(name)) {
                own.put(name, equals < 0 ? "" : decoded(option.substring(equals + 1)));
            } else if (known.test(name)) {
                drivers.add(option);
            } else {
                unknown.add("'" + (name.length() > 40 ? name.substring(0, 40) + "…" : name) + "'");
            }
        }
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException("the store's URI has unknown options " + String.join(", ", unknown)
                    + "; Weir's are " + String.join(", ", OURS));
        }
    }

    private static JdbcStoreOptions options(Map<String, String> own) {
        JdbcStoreOptions options = JdbcStoreOptions.defaults();
        for (Map.Entry<String, String> option : own.entrySet()) {
            String value = option.getValue();
            options = switch (option.getKey()) {
                case "timeout" -> options.withTimeout(duration("timeout", value));
                case "cleanup" -> options.withCleanup(value.equals("never") ? null : duration("cleanup", value));
                case "poll" -> options.withPoll(duration("poll", value));
                case "lanes" -> options.withLanes(lanes(value));
                case "synchronous" -> options.withDurability(durability(value));
                case "migrate" -> options.withMigrate(truth("migrate", value));
                default -> options.withSpin(truth("spin", value));
            };
        }
        return options;
    }

    private static JdbcStoreOptions.Durability durability(String value) {
        return switch (value.toLowerCase(Locale.ROOT)) {
            case "full" -> JdbcStoreOptions.Durability.FULL;
            case "normal" -> JdbcStoreOptions.Durability.NORMAL;
            default ->
                throw new IllegalArgumentException("synchronous is '" + shown(value) + "'; it must be full or normal");
        };
    }

    private static int lanes(String value) {
        if (!value.matches("[1-9][0-9]?")) {
            throw new IllegalArgumentException("lanes is '" + shown(value) + "'; it must be 1 to 64");
        }
        return Integer.parseInt(value);
    }

    private static boolean truth(String name, String value) {
        if (!value.equals("true") && !value.equals("false")) {
            throw new IllegalArgumentException(name + " is '" + shown(value) + "'; it must be true or false");
        }
        return value.equals("true");
    }

    private static Duration duration(String name, String value) {
        String number = value.replaceFirst("(ms|s|m|h)$", "");
        if (!number.matches("[0-9]{1,9}") || number.length() == value.length()) {
            throw new IllegalArgumentException(
                    name + " is '" + shown(value) + "'; it must be a number and ms, s, m or h, such as 50ms");
        }
        long count = Long.parseLong(number);
        return switch (value.substring(number.length())) {
            case "ms" -> Duration.ofMillis(count);
            case "s" -> Duration.ofSeconds(count);
            case "m" -> Duration.ofMinutes(count);
            default -> Duration.ofHours(count);
        };
    }

    private static String decoded(String value) {
        try {
            return URLDecoder.decode(value, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            // What it is then, the option itself explains.
            return value;
        }
    }

    private static String shown(String value) {
        return value.length() > 40 ? value.substring(0, 40) + "…" : value;
    }
}
