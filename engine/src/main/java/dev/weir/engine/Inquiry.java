package dev.weir.engine;

import dev.weir.Charge;
import dev.weir.engine.config.FailurePolicy;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request as a plan sees it: the values that matter, and what the limits ask. A plan makes it by asking limit after limit;
 * once it is {@link #asked}, it does not change.
 */
final class Inquiry {
    final Plan plan;
    final Request request;
    /** By the plan's numbers, derived ones included. */
    final @Nullable String[] values;
    /** Of the limits that can refuse, outermost first. */
    final List<Demand> demands;
    /** Of all these demands, to be decided together. */
    List<Charge> charges;
    /** Of the limits that only report. */
    List<Demand> shadows = List.of();
    /** Of each of these, to be decided alone. */
    List<List<Charge>> shadowCharges = List.of();
    /** Of the limits that refuse the request for want of an attribute; shadow limits among them only report. */
    List<MissingKey> missing = List.of();
    /** Whom a penalty would strike; null if there is none. */
    @Nullable
    List<String> offender;
    /** Those charges that wait for the status of the response; null if none do. */
    @Nullable
    HeldCharges held;

    /**
     * Nothing is asked yet.
     *
     * @param most how many limits may ask
     */
    Inquiry(Plan plan, Request request, @Nullable String[] values, int most) {
        this.plan = plan;
        this.request = request;
        this.values = values;
        this.demands = new ArrayList<>(most);
        this.charges = new ArrayList<>(most);
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

    /** Asks what a limit has to say if nothing that is known keeps it from applying. */
    void survey(PreparedLimit limit) {
        Demand demand = limit.possibleDemand(values, charges);
        if (demand != null) {
            demands.add(demand);
        }
    }

    /** This, of which no more is asked; null if nothing was. */
    @Nullable
    Inquiry asked() {
        if (demands.isEmpty() && shadows.isEmpty() && missing.isEmpty()) {
            return null;
        }
        // Of one or two without an array; the store copies nothing that cannot change.
        charges = switch (charges.size()) {
            case 1 -> List.of(charges.get(0));
            case 2 -> List.of(charges.get(0), charges.get(1));
            default -> List.copyOf(charges);
        };
        offender = plan.offender(values);
        held = request.reportsStatus() ? HeldCharges.of(demands) : null;
        return this;
    }

    /** Whether it is refused for want of an attribute, before the store is asked. */
    boolean lacksKey() {
        for (int i = 0; i < missing.size(); i++) {
            if (!missing.get(i).result().shadow()) {
                return true;
            }
        }
        return false;
    }

    /** Whether a limit that only reports has something to say. */
    boolean hasShadows() {
        return !shadows.isEmpty() || !missing.isEmpty();
    }

    /** Whether a limit that can refuse does so when the store cannot say. */
    boolean failsSecure() {
        for (int i = 0; i < demands.size(); i++) {
            if (demands.get(i).limit().rule.onStoreFailure() == FailurePolicy.DENY) {
                return true;
            }
        }
        return false;
    }
}
