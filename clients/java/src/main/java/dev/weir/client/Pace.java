package dev.weir.client;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What all requests of a client know together of the limits they meet, so that none is sent for which there is nothing
 * left, and those that wait do not come back all at once.
 *
 * <p>A server names its limits in its answers. Which of them a request will meet is known from the last answer to the same
 * method and path; a request of which nothing is known is not held up. Of each limit it counts what is left: what the
 * server said, less what is under way. When a limit is whole again its quota is left; after a refusal it is one, because
 * how much came back is not known, and the answer to that one tells. Until an answer tells, the next comes back after as
 * long again. All of it is a guess that errs by waiting for the
 * server's own word; the server decides.
 *
 * <p>Bounded: the oldest of {@value #MOST_LIMITS} limits and {@value #MOST_ROUTES} routes are forgotten.
 */
final class Pace {
    private static final int MOST_LIMITS = 1000;
    private static final int MOST_ROUTES = 2000;
    private static final long SHORTEST_PERIOD_NANOS = 10_000_000;

    private final Map<String, Budget> budgets = bounded(MOST_LIMITS);
    private final Map<String, List<Budget>> routes = bounded(MOST_ROUTES);

    /** Of one limit of one server. */
    private static final class Budget {
        private long left;
        private int underWay;
        private long resetNanos;
        /** How long it was until the reset when the server last said so: the next guess. */
        private long periodNanos;

        private long leftAfterReset;

        void resetIn(long nanos, long nowNanos) {
            periodNanos = Math.max(SHORTEST_PERIOD_NANOS, nanos);
            resetNanos = nowNanos + nanos;
        }
    }

    /** A request on its way. */
    static final class Trip {
        private final String origin;
        private final String route;
        private final List<Budget> budgets;

        private Trip(String origin, String route, List<Budget> budgets) {
            this.origin = origin;
            this.route = route;
            this.budgets = budgets;
        }
    }

    /** What became of who wants to go: it goes, or it waits. */
    record Turn(@Nullable Trip trip, Duration delay) {}

    /** Goes if there is something left of every limit that is known for it; else says how long there is not. */
    synchronized Turn ask(String method, URI uri, long nowNanos) {
        List<Budget> met = routes.getOrDefault(route(method, uri), List.of());
        long wait = 0;
        for (Budget budget : met) {
            refresh(budget, nowNanos);
            if (budget.left <= 0) {
                wait = Math.max(wait, budget.resetNanos - nowNanos);
            }
        }
        return wait > 0 ? new Turn(null, Duration.ofNanos(wait)) : new Turn(go(method, uri), Duration.ZERO);
    }

    /** Goes, whatever is left. */
    synchronized Trip go(String method, URI uri) {
        String route = route(method, uri);
        List<Budget> met = List.copyOf(routes.getOrDefault(route, List.of()));
        for (Budget budget : met) {
            budget.left--;
            budget.underWay++;
        }
        return new Trip(origin(uri), route, met);
    }

    /** It came to nothing. */
    synchronized void failed(Trip trip) {
        trip.budgets.forEach(budget -> budget.underWay--);
    }

    /**
     * It was answered.
     *
     * @param wait how long the server says to wait; null if it did not refuse
     * @param longest waits beyond this are not minded: no server stops a client for good
     */
    synchronized void answered(Trip trip, RateLimits limits, @Nullable Duration wait, Duration longest, long nowNanos) {
        failed(trip);
        List<Budget> met = new ArrayList<>();
        boolean isExplained = limits.limits().stream().anyMatch(limit -> limit.remaining() == 0);
        for (RateLimits.Limit limit : limits.limits()) {
            // A limit without a name is that of its route alone.
            String name = limit.name().isEmpty() ? trip.route : trip.origin + '\n' + limit.name();
            Budget budget = budgets.computeIfAbsent(name, key -> new Budget());
            met.add(budget);
            budget.left = limit.remaining() - budget.underWay;
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
            routes.put(trip.route, met);
        }
    }

    private static void refresh(Budget budget, long nowNanos) {
        if (budget.left <= 0 && budget.resetNanos - nowNanos <= 0) {
            budget.left = Math.max(1, budget.leftAfterReset - budget.underWay);
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
