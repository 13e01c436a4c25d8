package dev.weir.server.envoy;

import dev.weir.server.envoy.EnvoyConfiguration.Match;
import dev.weir.server.envoy.RateLimitQuery.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * The statistics of the original service, under the names that its Prometheus mapping gives them, so that existing
 * Grafana boards keep working.
 *
 * <p>The labels are the domain and the levels of the descriptor: {@code domain}, {@code key1}, {@code key2} and so on.
 * {@code detailed_metric} and {@code value_to_metric} put values of requests into labels; beyond {@value #MOST} series,
 * or {@value #LONGEST} characters, such hits are counted without those values. Safe for use by many threads.
 */
final class EnvoyStatistics {
    /** The most series of hits. */
    static final int MOST = 2_000;

    /**
     * The most characters of the labels of a series that clients choose. A request may have 256 KB of them, so without
     * this bound {@link #MOST} series would hold half a gigabyte.
     */
    static final int LONGEST = 1_024;

    private static final Pattern IPV4 = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");
    private static final float NEAR_RATIO = 0.8f;

    private final Map<List<String>, Counters> bySeries = new ConcurrentHashMap<>();
    private final LongAdder domainNotFound = new LongAdder();
    private final LongAdder storeErrors = new LongAdder();
    private final LongAdder invalidRequests = new LongAdder();
    private final LongAdder shadowed = new LongAdder();
    private final LongAdder loaded = new LongAdder();
    private final LongAdder rejected = new LongAdder();

    /** The hits of one series. */
    static final class Counters {
        private final LongAdder totalHits = new LongAdder();
        private final LongAdder overLimit = new LongAdder();
        private final LongAdder nearLimit = new LongAdder();
        private final LongAdder withinLimit = new LongAdder();
        private final LongAdder shadowMode = new LongAdder();

        /**
         * Counts the hits of one descriptor. Hits that cross a mark are split there.
         *
         * @param before what the window had counted before
         */
        void count(long hits, long before, long limit, boolean isOver, boolean isShadow) {
            totalHits.add(hits);
            long near = (long) Math.floor((float) limit * NEAR_RATIO);
            long after = before + hits;
            if (isOver) {
                long over = before >= limit ? hits : after - limit;
                overLimit.add(over);
                if (before < limit) {
                    nearLimit.add(limit - Math.max(near, before));
                }
                if (isShadow) {
                    shadowMode.add(over);
                }
                return;
            }
            withinLimit.add(hits);
            if (after > near) {
                nearLimit.add(before >= near ? hits : after - near);
            }
        }
    }

    /** The counters of a matched descriptor. */
    Counters of(Match match) {
        List<String> keys = match.metricKeys();
        if (isTooLong(keys)) {
            return added(match, match.plainMetricKeys());
        }
        Counters known = bySeries.get(series(match.limit().domain(), keys));
        return known != null ? known : added(match, bySeries.size() < MOST ? keys : match.plainMetricKeys());
    }

    private Counters added(Match match, List<String> keys) {
        return bySeries.computeIfAbsent(series(match.limit().domain(), keys), absent -> new Counters());
    }

    private static boolean isTooLong(List<String> keys) {
        int length = 0;
        for (String key : keys) {
            length += key.length();
        }
        return length > LONGEST;
    }

    /** The counters of a descriptor that brings its own limit: by its keys alone, since clients choose the values. */
    Counters ofOverride(String domain, List<Entry> entries) {
        List<String> keys = entries.stream().map(Entry::key).toList();
        boolean isBounded = bySeries.size() < MOST && !isTooLong(keys);
        return bySeries.computeIfAbsent(
                series(domain, isBounded ? keys : List.of("override")), absent -> new Counters());
    }

    private static List<String> series(String domain, List<String> keys) {
        List<String> series = new ArrayList<>(keys.size() + 1);
        series.add(sanitized(domain));
        for (String key : keys) {
            series.add(sanitized(key));
        }
        return series;
    }

    /** As the original does: characters that separate statistics become underscores, also the dots of an address. */
    private static String sanitized(String text) {
        String plain = text.replace(':', '_').replace('|', '_');
        return plain.indexOf('.') < 0
                ? plain
                : IPV4.matcher(plain).replaceAll(found -> found.group().replace('.', '_'));
    }

    void domainNotFound(int descriptors) {
        domainNotFound.add(descriptors);
    }

    void storeFailed() {
        storeErrors.increment();
    }

    void requestInvalid() {
        invalidRequests.increment();
    }

    void shadowed() {
        shadowed.increment();
    }

    void configurationLoaded() {
        loaded.increment();
    }

    void configurationRejected() {
        rejected.increment();
    }

    /** Returns all statistics in the text format of Prometheus. */
    String text() {
        StringBuilder text = new StringBuilder();
        hits(text, "total_hits", "Hits of descriptors with a limit", counters -> counters.totalHits);
        hits(text, "over_limit", "Hits beyond the limit", counters -> counters.overLimit);
        hits(text, "near_limit", "Hits from 80% of the limit on", counters -> counters.nearLimit);
        hits(text, "within_limit", "Hits within the limit", counters -> counters.withinLimit);
        hits(text, "shadow_mode", "Hits beyond a limit in shadow mode", counters -> counters.shadowMode);
        single(
                text,
                "rate_limit_domain_not_found",
                "Descriptors of requests with an unknown domain",
                "",
                domainNotFound);
        single(
                text,
                "should_rate_limit_error",
                "Requests that got an error",
                "{err_type=\"redis_error\"}",
                storeErrors);
        sample(text, "should_rate_limit_error", "{err_type=\"service_error\"}", invalidRequests);
        single(text, "global_shadow_mode", "Requests over the limit that SHADOW_MODE allowed", "", shadowed);
        single(text, "config_load_success", "Configurations that took effect", "", loaded);
        single(text, "config_load_error", "Configurations with faults", "", rejected);
        return text.toString();
    }

    private void hits(StringBuilder text, String name, String help, Function<Counters, LongAdder> value) {
        if (bySeries.isEmpty()) {
            return;
        }
        head(text, "rate_limit_" + name, help);
        bySeries.forEach((series, counters) -> text.append("ratelimit_service_rate_limit_")
                .append(name)
                .append(labels(series))
                .append(' ')
                .append(value.apply(counters).sum())
                .append('\n'));
    }

    private static void single(StringBuilder text, String name, String help, String labels, LongAdder value) {
        head(text, name, help);
        sample(text, name, labels, value);
    }

    private static void sample(StringBuilder text, String name, String labels, LongAdder value) {
        text.append("ratelimit_service_")
                .append(name)
                .append(labels)
                .append(' ')
                .append(value.sum())
                .append('\n');
    }

    private static void head(StringBuilder text, String name, String help) {
        text.append("# HELP ratelimit_service_")
                .append(name)
                .append(' ')
                .append(help)
                .append('\n');
        text.append("# TYPE ratelimit_service_").append(name).append(" counter\n");
    }

    private static String labels(List<String> series) {
        StringBuilder labels = new StringBuilder("{domain=\"");
        escape(labels, series.get(0));
        for (int i = 1; i < series.size(); i++) {
            labels.append("\",key").append(i).append("=\"");
            escape(labels, series.get(i));
        }
        return labels.append("\"}").toString();
    }

    private static void escape(StringBuilder labels, String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '\\' -> labels.append("\\\\");
                case '"' -> labels.append("\\\"");
                case '\n' -> labels.append("\\n");
                default -> labels.append(c);
            }
        }
    }
}
