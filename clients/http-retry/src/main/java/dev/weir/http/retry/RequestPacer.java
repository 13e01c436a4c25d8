package dev.weir.http.retry;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Estimate, shared by all requests of a client, of what is left of the server's limits. A request for which nothing is
 * left waits, and waiting requests do not all return at once.
 *
 * <p>A server names its limits in its responses. The limits of a request are those of the last response to the same
 * method and path; a request without one is not delayed. The estimate of a limit is what the server last reported, less
 * the requests in flight. After the reset it is the quota. After a refusal it is 1, because the refilled amount is
 * unknown until the response to that one request. Until a response reports more, one more follows after each further
 * period. An estimate may be wrong; the server decides.
 *
 * <p>Bounded: only the {@value #MOST_LIMITS} limits and {@value #MOST_ROUTES} routes used last are kept. Thread-safe.
 */
final class RequestPacer {
    private static final int MOST_LIMITS = 1000;
    private static final int MOST_ROUTES = 2000;
    private static final long SHORTEST_PERIOD_NANOS = 10_000_000;

    private final Map<String, RemainingBudget> budgets = bounded(MOST_LIMITS);
    private final Map<String, List<RemainingBudget>> routes = bounded(MOST_ROUTES);

    /** The estimate for one limit of one server. */
    private static final class RemainingBudget {
        private long left;
        private int inFlight;
        private long resetNanos;
        /** Time until the reset as last reported by the server; used as the next estimate. */
        private long periodNanos;

        private long leftAfterReset;

        void resetIn(long nanos, long nowNanos) {
            periodNanos = Math.max(SHORTEST_PERIOD_NANOS, nanos);
            resetNanos = nowNanos + nanos;
        }
    }

    /** A request in flight, with the budgets it counts towards. */
    static final class InFlightRequest {
        private final String origin;
        private final String route;
        private final List<RemainingBudget> budgets;

        private InFlightRequest(String origin, String route, List<RemainingBudget> budgets) {
            this.origin = origin;
            this.route = route;
            this.budgets = budgets;
        }
    }

    /** The result of {@link #ask}: the request is sent, or waits for the delay. */
    record PacingDecision(@Nullable InFlightRequest attempt, Duration delay) {}

    /** Sends if something is left of every known limit of the request; otherwise returns how long to wait. */
    synchronized PacingDecision ask(String method, URI uri, long nowNanos) {
        List<RemainingBudget> met = routes.getOrDefault(route(method, uri), List.of());
        long wait = 0;
        for (RemainingBudget budget : met) {
            refresh(budget, nowNanos);
            if (budget.left <= 0) {
                wait = Math.max(wait, budget.resetNanos - nowNanos);
            }
        }
        return wait > 0
                ? new PacingDecision(null, Duration.ofNanos(wait))
                : new PacingDecision(sendNow(method, uri), Duration.ZERO);
    }

    /** Counts a request that is sent, whatever is left. */
    synchronized InFlightRequest sendNow(String method, URI uri) {
        String route = route(method, uri);
        List<RemainingBudget> met = List.copyOf(routes.getOrDefault(route, List.of()));
        for (RemainingBudget budget : met) {
            budget.left--;
            budget.inFlight++;
        }
        return new InFlightRequest(origin(uri), route, met);
    }

    /** Ends a request that got no response. */
    synchronized void failed(InFlightRequest attempt) {
        attempt.budgets.forEach(budget -> budget.inFlight--);
    }

    /**
     * Ends a request with its response.
     *
     * @param wait how long to wait according to the server; null if it did not refuse
     * @param longest longer waits are ignored, so that no server can stop a client for good
     */
    synchronized void answered(
            InFlightRequest attempt, RateLimits limits, @Nullable Duration wait, Duration longest, long nowNanos) {
        failed(attempt);
        List<RemainingBudget> met = new ArrayList<>();
        boolean isExplained = limits.limits().stream().anyMatch(limit -> limit.remaining() == 0);
        for (RateLimits.Limit limit : limits.limits()) {
            // A limit without a name applies to its route only.
            String name = limit.name().isEmpty() ? attempt.route : attempt.origin + '\n' + limit.name();
            RemainingBudget budget = budgets.computeIfAbsent(name, key -> new RemainingBudget());
            met.add(budget);
            budget.left = limit.remaining() - budget.inFlight;
            Long quota = limit.quota();
            budget.leftAfterReset = quota == null ? 1 : quota;
            budget.resetIn(nanos(limit.resetAfter(), longest), nowNanos);
            boolean isToBlame = !isExplained || limit.remaining() == 0;
            if (wait != null && isToBlame) {
                budget.left = 0;
                budget.leftAfterReset = 1;
                budget.resetIn(nanos(wait, longest), nowNanos);
            }
        }
        if (!met.isEmpty()) {
            routes.put(attempt.route, met);
        }
    }

    private static void refresh(RemainingBudget budget, long nowNanos) {
        if (budget.left <= 0 && budget.resetNanos - nowNanos <= 0) {
            budget.left = Math.max(1, budget.leftAfterReset - budget.inFlight);
            budget.resetNanos = nowNanos + budget.periodNanos;
        }
    }

    private static long nanos(@Nullable Duration told, Duration longest) {
        return told == null || told.compareTo(longest) > 0 ? 0 : told.toNanos();
    }

    private static String route(String method, URI uri) {
        return method + ' ' + origin(uri) + uri.getRawPath();
    }

    private static String origin(URI uri) {
        return uri.getScheme() + "://" + uri.getRawAuthority();
    }

    private static <V> Map<String, V> bounded(int most) {
        return new LinkedHashMap<>(16, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<String, V> eldest) {
                return size() > most;
            }
        };
    }
}
