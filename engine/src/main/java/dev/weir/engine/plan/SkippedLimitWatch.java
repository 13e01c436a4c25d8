package dev.weir.engine.plan;

import dev.weir.engine.Request;
import dev.weir.engine.SkippedLimit;
import dev.weir.engine.Weir;
import dev.weir.engine.config.Configuration;
import dev.weir.engine.config.WellKnownAttributes;
import dev.weir.engine.path.ClientText;
import dev.weir.spi.Nearest;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Whether a limit has applied since its configuration was loaded, and if not, which attributes were missing.
 *
 * <p>It warns once: at the first request that carries an attribute similar to a missing one, else at the tenth request
 * that lacks one. A limit may rightly skip some requests, such as those of anonymous users; ten skips without one
 * application are worth a log line. A request that the limit applies to costs one volatile read. A skipped request
 * costs a {@link LongAdder} after the warning, and nothing once the limit has applied. Safe for use by any number of
 * threads.
 */
public final class SkippedLimitWatch {
    static final int WARN_AFTER = 10;

    private static final Logger LOG = System.getLogger(Weir.class.getName());
    private static final int MOST_NAMES = 20;
    private static final int LONGEST_NAME = 64;
    /** Shorter names are one letter away from too many others: {@code id} is not a misspelt {@code ip}. */
    private static final int SHORTEST_NAME = 3;

    private final String limit;
    private final InstantSource clock;
    private final LongAdder skipped = new LongAdder();
    private volatile boolean hasApplied;
    /** The fields below are read and written only before the warning, guarded by this. */
    private volatile boolean hasWarned;

    private final TreeSet<String> carried = new TreeSet<>();
    private List<String> missing = List.of();
    private @Nullable String similar;
    private @Nullable Instant since;

    public SkippedLimitWatch(String limit, InstantSource clock) {
        this.limit = limit;
        this.clock = clock;
    }

    /**
     * One watch for every limit of a configuration, by name, in the order of the file. They survive changes of
     * settings.
     */
    public static Map<String, SkippedLimitWatch> ofAll(Configuration configuration, InstantSource clock) {
        Map<String, SkippedLimitWatch> all = new LinkedHashMap<>();
        configuration.limits().forEach(limit -> all.put(limit.name(), new SkippedLimitWatch(limit.name(), clock)));
        return Collections.unmodifiableMap(all);
    }

    /** Records that the limit applies to a request. */
    void applied() {
        if (!hasApplied) {
            hasApplied = true;
        }
    }

    /**
     * Counts a request that the limit matches but that lacks an attribute. Returns whether {@link #note} is to be
     * called.
     */
    boolean skipped() {
        if (hasApplied) {
            return false;
        }
        skipped.increment();
        return !hasWarned;
    }

    /** Records which attributes the request that was just counted lacks. */
    synchronized void note(List<String> lacking, Request request) {
        if (since == null) {
            since = clock.instant();
            missing = lacking;
        }
        for (String name : request.attributes().keySet()) {
            if (carried.size() < MOST_NAMES) {
                carried.add(ClientText.shown(name, LONGEST_NAME));
            }
        }
        String lacked = nearMiss();
        if (!hasWarned && (lacked != null || skipped.sum() >= WARN_AFTER)) {
            hasWarned = true;
            LOG.log(Level.WARNING, warning(lacked));
        }
    }

    /** The missing attribute that a carried one resembles; null if there is none. */
    private @Nullable String nearMiss() {
        for (String part : missing) {
            for (String name : part.split("\\|", -1)) {
                similar = name.length() < SHORTEST_NAME
                        ? null
                        : Nearest.to(name, carried).orElse(null);
                if (similar != null) {
                    return name;
                }
            }
        }
        return null;
    }

    private String warning(@Nullable String lacked) {
        String never = "limit '" + limit + "' has never applied (skipped " + skipped.sum() + "): ";
        String carriedInstead = similar;
        if (lacked != null && carriedInstead != null) {
            return never + "it needs the attribute '" + lacked
                    + "', which requests that it matches lack; they carry the" + " similar '" + carriedInstead + "'. "
                    + cure(lacked, carriedInstead);
        }
        String names = String.join(", ", missing);
        String attributes = missing.size() == 1 ? "attribute '" + names + "'" : "attributes " + names;
        return never + "requests that it matches lack the " + attributes + " and carry "
                + (carried.isEmpty() ? "none" : String.join(", ", carried))
                + "; send what is missing, set it in 'defaults', or refuse such requests with 'on-missing: deny'";
    }

    /** The advice. Of two similar names the well-known one is assumed to be right. */
    private static String cure(String needed, String carriedInstead) {
        String inLimit = "rite '" + carriedInstead + "' in place of '" + needed + "' in the limit";
        String inRequests = "end it as '" + needed + "'";
        boolean limitIsRight = WellKnownAttributes.NAMES.contains(needed);
        if (limitIsRight == WellKnownAttributes.NAMES.contains(carriedInstead)) {
            return "If both mean the same, w" + inLimit + ", or s" + inRequests;
        }
        return limitIsRight ? "S" + inRequests : "W" + inLimit;
    }

    /** The report; null if the limit has applied, or has matched no request. */
    public synchronized @Nullable SkippedLimit report() {
        return hasApplied || since == null
                ? null
                : new SkippedLimit(limit, missing, List.copyOf(carried), similar, skipped.sum(), since);
    }
}
