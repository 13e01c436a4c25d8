package dev.weir.engine;

import dev.weir.Charge;
import dev.weir.Decision;
import dev.weir.Store;
import dev.weir.StoreException;
import dev.weir.engine.config.Configuration;
import dev.weir.engine.config.FailurePolicy;
import dev.weir.engine.settings.Settings;
import dev.weir.engine.settings.SettingsSnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The engine: from a request's attributes to an outcome, by a configuration and the settings of the day.
 *
 * <p>Safe for use by any number of threads. The configuration is compiled to an immutable plan; a new one, or new
 * settings, take its place in one step, and counts are kept.
 */
public final class Weir implements AutoCloseable {
    private static final Duration DEADLINE = Duration.ofMillis(50);
    /** What a client is told to wait when the store is gone. */
    private static final Duration UNAVAILABLE_WAIT = Duration.ofSeconds(60);

    private final Store store;
    private final Settings settings;
    private final Settings.Registration registration;
    private volatile State state;

    private Weir(Configuration configuration, Store store, Settings settings) {
        this.store = store;
        this.settings = settings;
        this.state = state(configuration, settings.current());
        this.registration = settings.onChange(snapshot -> settingsChanged(snapshot));
    }

    /** An engine on a store and settings that it will close. */
    public static Weir of(Configuration configuration, Store store, Settings settings) {
        return new Weir(configuration, store, settings);
    }

    /** What a request is decided by; replaced as a whole. */
    private record State(Plan plan, @Nullable Penalties penalties) {}

    public Configuration configuration() {
        return state.plan.configuration;
    }

    /** Decides by another configuration from now on; counts are kept. */
    public synchronized void reconfigure(Configuration configuration) {
        state = state(configuration, settings.current());
    }

    /** Decides and spends: all limits that apply admit the request, or none is spent from. */
    public Outcome check(Map<String, String> attributes) {
        return check(Request.of(attributes));
    }

    /** Decides and spends: all limits that apply admit the request, or none is spent from. */
    public Outcome check(Request request) {
        State present = state;
        Plan plan = present.plan;
        if (!plan.configuration.enabled()) {
            return Outcome.untouched();
        }
        @Nullable String[] values = plan.values(request);
        List<Demand> demands = plan.isExempt(values) ? List.of() : plan.demands(values, request, false);
        if (demands.isEmpty()) {
            return Outcome.untouched();
        }
        try {
            Outcome penalized = penalized(present, values);
            return penalized != null ? penalized : decide(present, values, demands);
        } catch (StoreException e) {
            return failed(plan, values, demands);
        }
    }

    /** The same answer, spending nothing and punishing nobody. */
    public Outcome peek(Request request) {
        Plan plan = state.plan;
        @Nullable String[] values = plan.values(request);
        List<Demand> demands = plan.configuration.enabled() && !plan.isExempt(values)
                ? plan.demands(values, request, false)
                : List.of();
        if (demands.isEmpty()) {
            return Outcome.untouched();
        }
        try {
            Decision decision = store.peek(charges(demands)).await(DEADLINE);
            return new Tally(demands, decision).outcome(plan.derived(values), null, 0);
        } catch (StoreException e) {
            return failed(plan, values, demands);
        }
    }

    /** How a subject, given by the attributes of {@code penalty.per}, stands; in good standing without a penalty. */
    public Standing standing(List<String> subject) {
        Penalties penalties = state.penalties;
        return penalties == null ? new Standing(0, Duration.ZERO) : penalties.standing(subject);
    }

    /** Those candidates that are not throttled: one line for a scheduler. */
    public <T> List<T> withoutThrottled(List<T> candidates, Function<T, String> subject) {
        return candidates.stream()
                .filter(candidate ->
                        !standing(List.of(subject.apply(candidate))).throttled())
                .toList();
    }

    @Override
    public void close() {
        registration.close();
        settings.close();
        store.close();
    }

    private synchronized void settingsChanged(SettingsSnapshot snapshot) {
        state = state(state.plan.configuration, snapshot);
    }

    private State state(Configuration configuration, SettingsSnapshot snapshot) {
        return new State(
                Plan.compile(configuration, snapshot),
                configuration.penalty() == null ? null : new Penalties(configuration.penalty(), store, DEADLINE));
    }

    private @Nullable Outcome penalized(State present, @Nullable String[] values) {
        Penalties penalties = present.penalties;
        List<String> offender = present.plan.offender(values);
        if (penalties == null || offender == null || !penalties.enforces()) {
            return null;
        }
        Standing standing = penalties.standing(offender);
        Duration left = penalties.backoffLeft(standing);
        return left.isZero()
                ? null
                : new Outcome(
                        false,
                        Reason.PENALIZED,
                        null,
                        List.of(),
                        List.of(),
                        Duration.ofSeconds(left.plusNanos(999_999_999).toSeconds()),
                        standing.consecutiveViolations(),
                        present.plan.derived(values));
    }

    private Outcome decide(State present, @Nullable String[] values, List<Demand> demands) {
        List<Demand> enforced =
                demands.stream().filter(demand -> !demand.limit().rule.shadow()).toList();
        Map<String, String> derived = present.plan.derived(values);
        Tally tally = enforced.isEmpty()
                ? new Tally()
                : new Tally(enforced, store.consume(charges(enforced)).await(DEADLINE));
        for (Demand demand : demands) {
            if (demand.limit().rule.shadow()) {
                // What is refused spends nothing, of shadow limits neither.
                tally.add(
                        demand,
                        tally.isAdmitted()
                                ? store.consume(demand.charges()).await(DEADLINE)
                                : store.peek(demand.charges()).await(DEADLINE));
            }
        }
        List<String> offender = tally.isAdmitted() ? null : present.plan.offender(values);
        if (present.penalties == null || offender == null) {
            return tally.outcome(derived, null, 0);
        }
        return tally.outcome(derived, present.penalties, present.penalties.violate(offender));
    }

    /** The store did not answer: refused if any limit that applies fails secure. */
    private static Outcome failed(Plan plan, @Nullable String[] values, List<Demand> demands) {
        boolean secure = demands.stream()
                .anyMatch(demand ->
                        !demand.limit().rule.shadow() && demand.limit().rule.onStoreFailure() == FailurePolicy.DENY);
        return new Outcome(
                !secure,
                Reason.UNAVAILABLE,
                null,
                List.of(),
                List.of(),
                secure ? UNAVAILABLE_WAIT : null,
                0,
                plan.derived(values));
    }

    private static List<Charge> charges(List<Demand> demands) {
        List<Charge> charges = new ArrayList<>(demands.size());
        for (Demand demand : demands) {
            charges.addAll(demand.charges());
        }
        return charges;
    }
}
