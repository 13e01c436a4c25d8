package dev.weir.engine;

import dev.weir.Charge;
import dev.weir.engine.config.FailurePolicy;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A request as a plan sees it: the values that matter, and what the limits ask. Not changed once it is made. */
final class Inquiry {
    private final Plan plan;
    private final Request request;
    private final @Nullable String[] values;
    private final List<Demand> demands;
    private final List<Charge> charges;
    private final List<Demand> shadows;
    private final List<List<Charge>> shadowCharges;
    private final List<MissingKey> missing;
    private final @Nullable List<String> offender;
    private final @Nullable HeldCharges held;

    Inquiry(
            Plan plan,
            Request request,
            @Nullable String[] values,
            List<Demand> demands,
            List<Charge> charges,
            List<Demand> shadows,
            List<List<Charge>> shadowCharges,
            List<MissingKey> missing,
            @Nullable List<String> offender) {
        this.plan = plan;
        this.request = request;
        this.values = values;
        this.demands = demands;
        this.charges = charges;
        this.shadows = shadows;
        this.shadowCharges = shadowCharges;
        this.missing = missing;
        this.offender = offender;
        this.held = request.reportsStatus() ? HeldCharges.of(demands) : null;
    }

    Plan plan() {
        return plan;
    }

    Request request() {
        return request;
    }

    /** By the plan's numbers, derived ones included. */
    @Nullable
    String[] values() {
        return values;
    }

    /** Of the limits that can refuse, outermost first. */
    List<Demand> demands() {
        return demands;
    }

    /** Of all these demands, to be decided together. */
    List<Charge> charges() {
        return charges;
    }

    /** Of the limits that only report. */
    List<Demand> shadows() {
        return shadows;
    }

    /** Of each of these, to be decided alone. */
    List<List<Charge>> shadowCharges() {
        return shadowCharges;
    }

    /** Of the limits that refuse the request for want of an attribute; shadow limits among them only report. */
    List<MissingKey> missing() {
        return missing;
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

    /** Whom a penalty would strike; null if there is none. */
    @Nullable
    List<String> offender() {
        return offender;
    }

    /** Those charges that wait for the status of the response; null if none do. */
    @Nullable
    HeldCharges held() {
        return held;
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
