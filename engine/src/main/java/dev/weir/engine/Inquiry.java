package dev.weir.engine;

import dev.weir.Charge;
import dev.weir.engine.config.FailurePolicy;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request prepared by a plan: the values of its attributes, and the charges of the limits. The plan adds limit after
 * limit; after {@link #asked} it does not change.
 */
final class Inquiry {
    final Plan plan;
    final Request request;
    /** By the plan's attribute numbers, derived attributes included. */
    final @Nullable String[] values;
    /** The charges of each limit that can refuse, outermost first. */
    final List<Demand> demands;
    /** The charges of all these limits, to be decided in one call. */
    List<Charge> charges;
    /** The charges of each shadow limit. */
    List<Demand> shadows = List.of();
    /** The charges of each of these, to be decided separately. */
    List<List<Charge>> shadowCharges = List.of();
    /** The limits that refuse the request because an attribute is missing; shadow limits among them only report. */
    List<MissingKey> missing = List.of();
    /** The subject that a penalty applies to; null if there is none. */
    @Nullable
    List<String> offender;
    /** The charges that wait for the status of the response; null if there are none. */
    @Nullable
    HeldCharges held;

    /**
     * Creates a request without charges.
     *
     * @param most the most limits that may be added
     */
    Inquiry(Plan plan, Request request, @Nullable String[] values, int most) {
        this.plan = plan;
        this.request = request;
        this.values = values;
        this.demands = new ArrayList<>(most);
        this.charges = new ArrayList<>(most);
    }

    /** Like {@link #ask}; records a skip if the limit matches but the request lacks an attribute. */
    void askOrSkip(PreparedLimit limit, List<@Nullable String[]> matched) {
        if (!ask(limit, matched)) {
            limit.skip(matched.get(0), request);
        }
    }

    /** Adds the charges of a limit under the readings that it matches; returns false if an attribute is missing. */
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

    /** Adds a limit unless a known attribute keeps it from applying. */
    void survey(PreparedLimit limit) {
        Demand demand = limit.possibleDemand(values, charges);
        if (demand != null) {
            demands.add(demand);
        }
    }

    /** Ends the preparation; returns null if no limit applies. */
    @Nullable
    Inquiry asked() {
        if (demands.isEmpty() && shadows.isEmpty() && missing.isEmpty()) {
            return null;
        }
        // One or two charges need no array; the store does not copy immutable lists.
        charges = switch (charges.size()) {
            case 1 -> List.of(charges.get(0));
            case 2 -> List.of(charges.get(0), charges.get(1));
            default -> List.copyOf(charges);
        };
        offender = plan.offender(values);
        held = request.reportsStatus() ? HeldCharges.of(demands) : null;
        return this;
    }

    /** Whether the request is refused because an attribute is missing, before the store is called. */
    boolean lacksKey() {
        for (int i = 0; i < missing.size(); i++) {
            if (!missing.get(i).result().shadow()) {
                return true;
            }
        }
        return false;
    }

    /** Whether a shadow limit applies. */
    boolean hasShadows() {
        return !shadows.isEmpty() || !missing.isEmpty();
    }

    /** Whether a limit that can refuse does so when the store does not answer. */
    boolean failsSecure() {
        for (int i = 0; i < demands.size(); i++) {
            if (demands.get(i).limit().rule.onStoreFailure() == FailurePolicy.DENY) {
                return true;
            }
        }
        return false;
    }
}
