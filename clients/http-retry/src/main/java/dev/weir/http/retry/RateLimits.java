package dev.weir.http.retry;

import java.net.http.HttpHeaders;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The limits that a response reports, by the IETF's {@code RateLimit} and {@code RateLimit-Policy}, or else by
 * {@code X-RateLimit-*}. Malformed headers are ignored.
 *
 * @param limits each reported limit, in the order of the server
 */
public record RateLimits(List<Limit> limits) {

    public RateLimits {
        limits = List.copyOf(limits);
    }

    /**
     * One limit.
     *
     * @param name empty for that of {@code X-RateLimit-*}, which has none
     * @param quota the maximum per window; null if not reported
     * @param remaining how much is left
     * @param resetAfter how long until the limit is full again; null if not reported
     */
    public record Limit(
            String name,
            @Nullable Long quota,
            long remaining,
            @Nullable Duration resetAfter) {}

    /** Returns the limits in these headers; none if there are no such headers. */
    public static RateLimits of(HttpHeaders headers) {
        return of(headers, ServerTime.of(headers, System.currentTimeMillis()));
    }

    static RateLimits of(HttpHeaders headers, ServerTime time) {
        List<Limit> named = named(headers);
        if (!named.isEmpty()) {
            return new RateLimits(named);
        }
        Limit classic = classic(headers, time);
        return new RateLimits(classic == null ? List.of() : List.of(classic));
    }

    /** Returns the limit with the smallest share left. */
    public Optional<Limit> tightest() {
        Limit tightest = null;
        for (Limit limit : limits) {
            if (tightest == null || share(limit) < share(tightest)) {
                tightest = limit;
            }
        }
        return Optional.ofNullable(tightest);
    }

    private static double share(Limit limit) {
        Long quota = limit.quota();
        return quota == null || quota == 0 ? limit.remaining() : (double) limit.remaining() / quota;
    }

    private static List<Limit> named(HttpHeaders headers) {
        Map<String, Long> quotas = new HashMap<>();
        for (FieldList.Item policy : list(headers, "RateLimit-Policy")) {
            Long quota = policy.parameters().get("q");
            if (quota != null) {
                quotas.put(policy.name(), quota);
            }
        }
        List<Limit> limits = new ArrayList<>();
        for (FieldList.Item state : list(headers, "RateLimit")) {
            Long remaining = state.parameters().get("r");
            Long reset = state.parameters().get("t");
            if (remaining != null) {
                limits.add(new Limit(
                        state.name(),
                        quotas.get(state.name()),
                        remaining,
                        reset == null ? null : Duration.ofSeconds(reset)));
            }
        }
        return limits;
    }

    /** Several lines of a list header are one list. */
    private static List<FieldList.Item> list(HttpHeaders headers, String name) {
        return FieldList.parse(String.join(", ", headers.allValues(name)));
    }

    private static @Nullable Limit classic(HttpHeaders headers, ServerTime time) {
        Long remaining = HeaderNumbers.whole(headers.firstValue("X-RateLimit-Remaining"));
        if (remaining == null) {
            return null;
        }
        Long reset = HeaderNumbers.whole(headers.firstValue("X-RateLimit-Reset"));
        return new Limit(
                "",
                HeaderNumbers.whole(headers.firstValue("X-RateLimit-Limit")),
                remaining,
                reset == null ? null : time.until(reset));
    }
}
