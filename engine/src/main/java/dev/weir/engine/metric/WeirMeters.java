package dev.weir.engine.metric;

import dev.weir.StoreStatistics;
import dev.weir.engine.Counts;
import dev.weir.engine.LimitCounts;
import dev.weir.engine.Reason;
import dev.weir.engine.Weir;
import dev.weir.engine.event.EventBus;
import dev.weir.engine.guard.StoreCall;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The engine's meters for Micrometer. The engine counts decisions itself, and the meters read its counts when they are
 * scraped, so that they cost a decision nothing. Decisions and calls of the store are timed, in histograms.
 *
 * <p>Tags are names of limits, outcomes and calls, which the configuration bounds. Keys are never tags: there are many,
 * and they may identify people. {@link #refresh} adds meters for the limits of a reloaded configuration.
 */
public final class WeirMeters implements MeterBinder {
    /** The most limits with meters of their own, in case a generator renames them with each reload. */
    private static final int MOST_LIMITS = 1000;
    /** The bounds of the histograms' buckets: memory answers in microseconds, a remote store in milliseconds. */
    private static final Duration[] BUCKETS = Stream.of(
                    10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000)
            .map(micros -> Duration.ofNanos(micros * 1000L))
            .toArray(Duration[]::new);

    private final Weir weir;
    private final boolean isTimed;
    private volatile @Nullable MeterRegistry registry;
    /** The limits that have meters; registering a meter twice would log a warning. */
    private final Set<String> bound = ConcurrentHashMap.newKeySet();

    public WeirMeters(Weir weir) {
        this(weir, true);
    }

    private WeirMeters(Weir weir, boolean isTimed) {
        this.weir = weir;
        this.isTimed = isTimed;
    }

    /** Creates meters that count and do not time, for applications with timers of their own. */
    public static WeirMeters withoutTimers(Weir weir) {
        return new WeirMeters(weir, false);
    }

    @Override
    public void bindTo(MeterRegistry newRegistry) {
        registry = newRegistry;
        bound.clear();
        bindDecisions(newRegistry);
        bindStore(newRegistry);
        if (isTimed) {
            bindTimers(newRegistry);
        }
        bindEvents(newRegistry);
        refresh();
    }

    /** Adds meters for limits that were added by a reload. */
    public void refresh() {
        MeterRegistry present = registry;
        if (present == null) {
            return;
        }
        for (LimitCounts limit : weir.counts().limits()) {
            if (bound.size() >= MOST_LIMITS || !bound.add(limit.limit())) {
                continue;
            }
            check(present, limit, "allowed", LimitCounts::allowed);
            check(present, limit, "denied", LimitCounts::denied);
            check(present, limit, "shadow_denied", LimitCounts::shadowDenied);
            denied(present, limit, Reason.LIMITED, LimitCounts::limited);
            denied(present, limit, Reason.IMPOSSIBLE, LimitCounts::impossible);
            denied(present, limit, Reason.UNAVAILABLE, LimitCounts::unavailable);
            counter("weir.warnings", "Requests that took a limit beyond its mark", limit, LimitCounts::warned)
                    .tag("limit", limit.limit())
                    .register(present);
        }
    }

    private void bindDecisions(MeterRegistry present) {
        Counts counts = weir.counts();
        decision(present, counts, "allowed", Counts::allowed);
        decision(present, counts, "exempt", Counts::exempt);
        decision(present, counts, "not-limited", Counts::notLimited);
        decision(present, counts, "limited", Counts::limited);
        decision(present, counts, "impossible", Counts::impossible);
        decision(present, counts, "penalized", Counts::penalized);
        decision(present, counts, "unavailable", Counts::unavailableDenied);
        decision(present, counts, "unavailable-allowed", Counts::unavailableAllowed);
        DeniedShareMeter share = new DeniedShareMeter(counts, System::nanoTime);
        gauge(
                present,
                "weir.denied.share",
                "Share of requests refused in about the last minute",
                share,
                DeniedShareMeter::value);
    }

    private void bindTimers(MeterRegistry present) {
        Timer time = Timer.builder("weir.decision")
                .description("Time per decision, with the calls of the store")
                .serviceLevelObjectives(BUCKETS)
                .register(present);
        weir.timeDecisions(nanos -> time.record(nanos, TimeUnit.NANOSECONDS));
        Map<StoreCall, Timer> answered = new EnumMap<>(StoreCall.class);
        Map<StoreCall, Timer> failed = new EnumMap<>(StoreCall.class);
        for (StoreCall call : StoreCall.values()) {
            answered.put(call, timer(present, call, "answered"));
            failed.put(call, timer(present, call, "failed"));
        }
        weir.store().time((call, nanos, isAnswered) -> {
            Timer timer = (isAnswered ? answered : failed).get(call);
            if (timer != null) {
                timer.record(nanos, TimeUnit.NANOSECONDS);
            }
        });
    }

    private void bindStore(MeterRegistry present) {
        gauge(
                present,
                "weir.store.given.up",
                "1 while the store does not answer",
                weir,
                own -> own.store().isCircuitOpen() ? 1 : 0);
        if (weir.store().delegate() instanceof StoreStatistics statistics) {
            gauge(present, "weir.store.entries", "Budgets in memory", statistics, StoreStatistics::entries);
            counter("weir.store.sweeps", "Sweeps for full budgets", statistics, StoreStatistics::sweeps)
                    .register(present);
            counter("weir.store.swept", "Full budgets that were evicted", statistics, StoreStatistics::swept)
                    .register(present);
        }
    }

    private void bindEvents(MeterRegistry present) {
        EventBus bus = weir.events();
        counter("weir.events.published", "Events that were published to listeners", bus, EventBus::published)
                .register(present);
        counter("weir.events.dropped", "Events that found a listener's buffer full", bus, EventBus::dropped)
                .register(present);
        counter("weir.events.failed", "Events on which a listener threw", bus, EventBus::failed)
                .register(present);
    }

    private static void check(
            MeterRegistry present, LimitCounts limit, String outcome, ToLongFunction<LimitCounts> count) {
        counter("weir.checks", "What each limit said", limit, count)
                .tag("limit", limit.limit())
                .tag("outcome", outcome)
                .register(present);
    }

    private static void denied(
            MeterRegistry present, LimitCounts limit, Reason reason, ToLongFunction<LimitCounts> count) {
        counter("weir.denials", "Requests that each limit refused, by reason", limit, count)
                .tag("limit", limit.limit())
                .tag("reason", reason.text())
                .register(present);
    }

    private static void decision(MeterRegistry present, Counts counts, String outcome, ToLongFunction<Counts> count) {
        counter("weir.decisions", "What requests were answered", counts, count)
                .tag("outcome", outcome)
                .register(present);
    }

    private static Timer timer(MeterRegistry present, StoreCall call, String outcome) {
        return Timer.builder("weir.store.call")
                .description("Time per call of the store")
                .tag("call", call.text())
                .tag("outcome", outcome)
                .serviceLevelObjectives(BUCKETS)
                .register(present);
    }

    private static <T> FunctionCounter.Builder<T> counter(
            String name, String description, T source, ToLongFunction<T> count) {
        return FunctionCounter.builder(name, source, own -> count.applyAsLong(own))
                .description(description);
    }

    private static <T> void gauge(
            MeterRegistry present, String name, String description, T source, ToDoubleFunction<T> value) {
        // A strong reference: the measured object is not referenced elsewhere.
        Gauge.builder(name, source, value)
                .description(description)
                .strongReference(true)
                .register(present);
    }
}
