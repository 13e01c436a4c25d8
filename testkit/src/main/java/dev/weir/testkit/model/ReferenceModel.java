package dev.weir.testkit.model;

import dev.weir.CalendarWindow;
import dev.weir.Charge;
import dev.weir.Key;
import dev.weir.Policy;
import dev.weir.Settlement;
import dev.weir.Store;
import dev.weir.algorithm.Resolution;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The reference model: the result that every store must return, to the bit, by the definitions of {@code dev.weir}.
 *
 * <p>It has no clock: each call passes its {@link ModelTime}, which never goes back. Its constructor takes the resolution
 * on which a store keeps each policy. That determines which times fall into the same tick, and nothing else. The model
 * defines what the definitions leave open:
 *
 * <ul>
 *   <li>Charges of one decision on the same key add up: each is read as if those before it had been spent, too.
 *   <li>A refused charge or a peek changes nothing, not even the policy under which a key is kept. An admitted charge
 *       keeps the key under its own policy from then on. The units spent before are carried over, as whole units and at
 *       most the new capacity, as if spent at that time. Units that an initial fill withholds do not count as spent.
 *   <li>Refunds and settlements act on the budget as it is kept at that time, whatever policy it was spent under. A
 *       full budget is equivalent to none: additional units are then spent under the policy of the charge.
 *   <li>Units spent in a window can be refunded until that window ends, as given by the charge's reading, even if the
 *       key has another policy by then. The tokens of a bucket are interchangeable.
 *   <li>Units spent before a reset cannot be refunded after it. A reset is remembered for
 *       {@link dev.weir.Store#LONGEST_TTL}, but not by a key that changes to slots.
 *   <li>A reservation's estimate stands once it has expired: its decision cannot be refunded any more.
 *   <li>Repeating an open reservation returns the first result if the keys are the same.
 *   <li>A settled reservation cannot be refunded any more, nor settled once its decision was refunded.
 *   <li>A closed reservation cannot be prolonged. Its id becomes free when it would have expired, or
 *       {@link Store#CLOSED_TTL} after it was closed, whichever is earlier.
 *   <li>A reset leaves a key as if it had never been used.
 *   <li>A lease that has lost a slot, because its key changed to another kind of policy, is not held any more.
 *   <li>Repeating the acquisition of a held lease returns admitted, with what is left at that time.
 * </ul>
 *
 * <p>Not thread-safe.
 */
public final class ReferenceModel {
    private final Budgets budgets;
    private final Map<String, Reservation> reservations = new HashMap<>();
    private final IdentityHashMap<ModelDecision, Reservation> byVerdict = new IdentityHashMap<>();
    private final Map<String, Lease> leases = new HashMap<>();
    private final Set<ModelDecision> refunded = Collections.newSetFromMap(new IdentityHashMap<>());

    /** Creates a model of an empty store that keeps each policy on the resolution that {@code resolutions} returns. */
    public ReferenceModel(Function<Policy, Resolution> resolutions) {
        this.budgets = new Budgets(resolutions);
    }

    private record Reservation(ModelDecision verdict, long endNanos) {}

    private record Lease(List<Charge> charges, long endNanos) {}

    public ModelDecision consume(List<Charge> charges, ModelTime now) {
        return budgets.decide(charges, now, null, 0);
    }

    public ModelDecision peek(List<Charge> charges, ModelTime now) {
        return budgets.look(charges, now);
    }

    /** Refunds what was spent, at most once; returns whether there was anything to refund. */
    public boolean refund(ModelDecision verdict, ModelTime now) {
        Reservation reservation = byVerdict.get(verdict);
        boolean isExpired = reservation != null && now.nanos() >= reservation.endNanos;
        boolean isFirst = verdict.spent() && !isExpired && refunded.add(verdict);
        if (isFirst) {
            adjustAll(verdict, charge -> 0, now);
            reservations.replaceAll((id, known) -> refunded.contains(known.verdict) ? closed(known, now) : known);
        }
        return isFirst;
    }

    public void reset(List<Key> keys, ModelTime now) {
        keys.forEach(key -> budgets.reset(key, now));
    }

    public ModelDecision reserve(String id, List<Charge> charges, Duration ttl, ModelTime now) {
        Reservation open = openReservation(id, now);
        if (open != null) {
            if (!keys(charges).equals(keys(open.verdict.charges()))) {
                throw new IllegalArgumentException("the reservation is open for other keys");
            }
            return open.verdict;
        }
        ModelDecision verdict = consume(charges, now);
        if (verdict.admitted()) {
            put(id, verdict, now.plus(ttl));
        }
        return verdict;
    }

    /** Replaces the estimates of the scopes that {@code costs} names; the others stand. */
    public Settlement settle(String id, Map<String, Long> costs, ModelTime now) {
        return close(id, now, charge -> costs.getOrDefault(charge.key().scope(), charge.cost()));
    }

    public Settlement cancel(String id, ModelTime now) {
        return close(id, now, charge -> 0);
    }

    public boolean prolong(String id, Duration ttl, ModelTime now) {
        Reservation open = openReservation(id, now);
        if (open == null || refunded.contains(open.verdict)) {
            return false;
        }
        put(id, open.verdict, now.plus(ttl));
        return true;
    }

    public ModelDecision acquire(String id, List<Charge> charges, Duration ttl, ModelTime now) {
        Lease held = heldLease(id, now);
        if (held != null && renew(id, ttl, now)) {
            return budgets.lookAtHeld(held.charges, now);
        }
        long end = now.plus(ttl).nanos();
        ModelDecision verdict = budgets.decide(charges, now, id, end);
        if (verdict.admitted()) {
            leases.put(id, new Lease(verdict.charges(), end));
        }
        return verdict;
    }

    public boolean renew(String id, Duration ttl, ModelTime now) {
        Lease held = heldLease(id, now);
        if (held == null) {
            return false;
        }
        long end = now.plus(ttl).nanos();
        boolean holdsAll = held.charges.stream().allMatch(charge -> budgets.renew(charge, id, end));
        if (holdsAll) {
            leases.put(id, new Lease(held.charges, end));
        } else {
            release(id, now);
        }
        return holdsAll;
    }

    public boolean release(String id, ModelTime now) {
        Lease held = heldLease(id, now);
        if (held != null) {
            leases.remove(id);
            held.charges.forEach(charge -> budgets.release(charge, id));
        }
        return held != null;
    }

    /** The calendar period that contains a time, if the policy follows a calendar; for writers of golden vectors. */
    public static Optional<CalendarPeriod> stretch(Policy policy, ModelTime now) {
        return policy instanceof CalendarWindow window
                ? Optional.of(Calendars.stretch(window, now.ticks(policy, Resolution.MILLIS)))
                : Optional.empty();
    }

    private Settlement close(String id, ModelTime now, ToLongFunction<Charge> actual) {
        Reservation open = openReservation(id, now);
        if (open == null) {
            return Settlement.UNKNOWN;
        }
        if (!refunded.add(open.verdict)) {
            return Settlement.ALREADY_CLOSED;
        }
        adjustAll(open.verdict, actual, now);
        reservations.put(id, closed(open, now));
        return Settlement.DONE;
    }

    private void adjustAll(ModelDecision verdict, ToLongFunction<Charge> actual, ModelTime now) {
        for (int i = 0; i < verdict.charges().size(); i++) {
            Charge charge = verdict.charges().get(i);
            budgets.adjust(verdict, i, actual.applyAsLong(charge) - charge.cost(), now);
        }
    }

    private void put(String id, ModelDecision verdict, ModelTime end) {
        Reservation reservation = new Reservation(verdict, end.nanos());
        reservations.put(id, reservation);
        byVerdict.put(verdict, reservation);
    }

    private static List<Key> keys(List<Charge> charges) {
        return charges.stream().map(Charge::key).toList();
    }

    private static Reservation closed(Reservation known, ModelTime now) {
        return new Reservation(
                known.verdict,
                Math.min(known.endNanos, now.plus(Store.CLOSED_TTL).nanos()));
    }

    private @Nullable Reservation openReservation(String id, ModelTime now) {
        Reservation known = reservations.get(id);
        return known != null && now.nanos() < known.endNanos ? known : null;
    }

    private @Nullable Lease heldLease(String id, ModelTime now) {
        Lease known = leases.get(id);
        return known != null && now.nanos() < known.endNanos ? known : null;
    }
}
