package dev.weir.engine.plan;

import dev.weir.Charge;
import dev.weir.engine.Request;
import dev.weir.engine.config.FailurePolicy;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request prepared by a plan: the values of its attributes, and the charges of the limits. The plan adds limit after
 * limit; after {@link #asked} it does not change.
 */
public final class PreparedRequest {
    private final Plan plan;
    private final Request request;
    private final @Nullable String[] values;
    private final List<LimitCharges> chargesByLimit;
    private List<Charge> charges;
    private List<LimitCharges> shadows = List.of();
    private List<List<Charge>> shadowCharges = List.of();
    private List<MissingKey> missing = List.of();
    private @Nullable List<String> penaltySubject;
    private @Nullable HeldCharges held;

    /**
     * Creates a request without charges.
     *
     * @param most the most limits that may be added
     */
    PreparedRequest(Plan plan, Request request, @Nullable String[] values, int most) {
        this.plan = plan;
        this.request = request;
        this.values = values;
        this.chargesByLimit = new ArrayList<>(most);
        this.charges = new ArrayList<>(most);
    }

    /**
     * Joins requests that are decided together, prepared by the same plan: the charges of all, in their order. An
     * attribute has the value of the first request that has it. Charges do not wait for the status of a response.
     *
     * @param parts at least one
     */
    public static PreparedRequest joined(List<PreparedRequest> parts) {
        PreparedRequest first = parts.get(0);
        if (parts.size() == 1) {
            return first;
        }
        PreparedRequest joined = new PreparedRequest(first.plan, first.request, first.values.clone(), parts.size());
        joined.shadows = new ArrayList<>();
        joined.shadowCharges = new ArrayList<>();
        joined.missing = new ArrayList<>();
        for (PreparedRequest part : parts) {
            joined.append(part);
        }
        joined.asked();
        return joined;
    }

    private void append(PreparedRequest part) {
        int offset = charges.size();
        for (LimitCharges own : part.chargesByLimit) {
            chargesByLimit.add(new LimitCharges(own.limit(), own.row(), own.cost(), own.first() + offset));
        }
        charges.addAll(part.charges);
        shadows.addAll(part.shadows);
        shadowCharges.addAll(part.shadowCharges);
        missing.addAll(part.missing);
        for (int i = 0; i < values.length; i++) {
            values[i] = values[i] == null ? part.values[i] : values[i];
        }
    }

    /** Like {@link #ask}; records a skip if the limit matches but the request lacks an attribute. */
    void addOrSkip(PreparedLimit limit, List<@Nullable String[]> matched) {
        if (!ask(limit, matched)) {
            limit.skip(matched.get(0), request);
        }
    }

    /** Adds the charges of a limit under the interpretations that it matches; returns false if an attribute is missing. */
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
        LimitCharges limitCharges = matched.size() == 1
                ? limit.limitCharges(matched.get(0), request, own)
                : limit.limitCharges(matched, request, own);
        if (limitCharges == null) {
            return false;
        }
        limit.skips.applied();
        if (limit.rule.shadow()) {
            shadows = shadows.isEmpty() ? new ArrayList<>() : shadows;
            shadowCharges = shadowCharges.isEmpty() ? new ArrayList<>() : shadowCharges;
            shadows.add(limitCharges);
            shadowCharges.add(own);
        } else {
            chargesByLimit.add(limitCharges);
        }
        return true;
    }

    /** Adds a limit unless a known attribute keeps it from applying. */
    void survey(PreparedLimit limit) {
        LimitCharges limitCharges = limit.possibleCharges(values, charges);
        if (limitCharges != null) {
            chargesByLimit.add(limitCharges);
        }
    }

    /** Ends the preparation; returns null if no limit applies. */
    @Nullable
    PreparedRequest asked() {
        if (chargesByLimit.isEmpty() && shadows.isEmpty() && missing.isEmpty()) {
            return null;
        }
        // One or two charges need no array; the store does not copy immutable lists.
        charges = switch (charges.size()) {
            case 1 -> List.of(charges.get(0));
            case 2 -> List.of(charges.get(0), charges.get(1));
            default -> List.copyOf(charges);
        };
        penaltySubject = plan.penaltySubject(values);
        held = request.reportsStatus() ? HeldCharges.of(chargesByLimit) : null;
        return this;
    }

    public Plan plan() {
        return plan;
    }

    public Request request() {
        return request;
    }

    /** By the plan's attribute numbers, derived attributes included. */
    public @Nullable String[] values() {
        return values;
    }

    /** The charges of each limit that can refuse, outermost first. */
    public List<LimitCharges> chargesByLimit() {
        return chargesByLimit;
    }

    /** The charges of all these limits, to be decided in one call. */
    public List<Charge> charges() {
        return charges;
    }

    /** The charges of each shadow limit. */
    public List<LimitCharges> shadows() {
        return shadows;
    }

    /** The charges of each of these, to be decided separately. */
    public List<List<Charge>> shadowCharges() {
        return shadowCharges;
    }

    /** The limits that refuse the request because an attribute is missing; shadow limits among them only report. */
    public List<MissingKey> missing() {
        return missing;
    }

    /** The subject that a penalty applies to; null if there is none. */
    public @Nullable List<String> penaltySubject() {
        return penaltySubject;
    }

    /** The charges that wait for the status of the response; null if there are none. */
    public @Nullable HeldCharges held() {
        return held;
    }

    /** Whether the request is refused because an attribute is missing, before the store is called. */
    public boolean lacksKey() {
        for (int i = 0; i < missing.size(); i++) {
            if (!missing.get(i).result().shadow()) {
                return true;
            }
        }
        return false;
    }

    /** Whether a shadow limit applies. */
    public boolean hasShadows() {
        return !shadows.isEmpty() || !missing.isEmpty();
    }

    /** Whether a limit that can refuse does so when the store does not answer. */
    public boolean deniesOnStoreFailure() {
        for (int i = 0; i < chargesByLimit.size(); i++) {
            if (chargesByLimit.get(i).limit().rule.onStoreFailure() == FailurePolicy.DENY) {
                return true;
            }
        }
        return false;
    }
}
