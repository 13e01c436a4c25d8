package dev.weir.engine;

import dev.weir.Charge;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Collects what the limits of a plan ask of one request. For one thread. */
final class Questions {
    private final Plan plan;
    private final Request request;
    private final List<@Nullable String[]> readings;
    private final List<Demand> demands;
    private final List<Charge> charges;
    private List<Demand> shadows = List.of();
    private List<List<Charge>> shadowCharges = List.of();
    private List<MissingKey> missing = List.of();

    /**
     * Nothing is asked yet.
     *
     * @param readings of the request; none if no limit applies to it
     * @param most how many limits may ask
     */
    Questions(Plan plan, Request request, List<@Nullable String[]> readings, int most) {
        this.demands = new ArrayList<>(most);
        this.charges = new ArrayList<>(most);
        this.plan = plan;
        this.request = request;
        this.readings = readings;
    }

    /** As {@link #ask}; notes it where the limit would apply but for an attribute that the request lacks. */
    void askOrSkip(PreparedLimit limit, List<@Nullable String[]> matched) {
        if (!ask(limit, matched)) {
            limit.skip(matched.get(0), request);
        }
    }

    /** Asks what a limit does under those readings that it matches; false if it lacks what the limit needs. */
    boolean ask(PreparedLimit limit, List<@Nullable String[]> matched) {
        if (matched.isEmpty()) {
            return true;
        }
        MissingKey lacking = limit.missingKey(matched, request);
        if (lacking != null) {
            missing = missing.isEmpty() ? new ArrayList<>() : missing;
            missing.add(lacking);
            return true;
        }
        List<Charge> own = limit.rule.shadow() ? new ArrayList<>(1) : charges;
        Demand demand =
                matched.size() == 1 ? limit.demand(matched.get(0), request, own) : limit.demand(matched, request, own);
        if (demand == null) {
            return false;
        }
        limit.skips.applied();
        if (limit.rule.shadow()) {
            shadows = shadows.isEmpty() ? new ArrayList<>() : shadows;
            shadowCharges = shadowCharges.isEmpty() ? new ArrayList<>() : shadowCharges;
            shadows.add(demand);
            shadowCharges.add(own);
        } else {
            demands.add(demand);
        }
        return true;
    }

    /** What was asked; null if nothing was. */
    @Nullable
    Inquiry inquiry() {
        if (demands.isEmpty() && shadows.isEmpty() && missing.isEmpty()) {
            return null;
        }
        @Nullable String[] values = readings.get(0);
        return new Inquiry(
                plan,
                request,
                values,
                demands,
                Plan.fixed(charges),
                shadows,
                shadowCharges,
                missing,
                plan.offender(values));
    }
}
