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
 * What every store must answer, to the bit: the definitions of {@code dev.weir}, in the plainest words there are.
 *
 * <p>It knows no clock: each call names its {@link Moment}, which never goes back. It is told on which resolution a
 * store keeps each policy; that decides which moments are one and the same tick, and nothing else. What the definitions
 * leave open is decided here:
 *
 * <ul>
 *   <li>Charges of one decision that name the same key add up: each is read as if those before it had been spent, too.
 *   <li>Whatever is refused or only looked at changes nothing, not even the policy under which a key is kept. What is
 *       admitted keeps the key under its own policy from then on, with what was spent before, in whole units and at
 *       most the new capacity, as if spent at that moment. What an initial fill withholds was not spent.
 *   <li>Giving back and settling act on the budget as it is kept then, whatever policy it was spent under. A whole
 *       budget is as good as none: more is then spent under the policy of the charge.
 *   <li>What was spent in a window can be given back until that window ends, as the charge's reading told, even if
 *       another policy governs the key by then. The tokens of a bucket are all alike.
 *   <li>What was spent before a reset cannot be given back after it; a reset is remembered for
 *       {@link dev.weir.Store#LONGEST_TTL}, and not by a key that goes over to slots.
 *   <li>A reservation's estimate stands once it has expired: its decision cannot be refunded any more.
 *   <li>To reserve again what is reserved is answered as the first time if the keys are the same.
 *   <li>A reservation that was settled cannot be refunded any more, nor settled once its decision was refunded.
 *   <li>A closed reservation cannot be prolonged: its id is free when it would have been, or {@link Store#CLOSED_TTL}
 *       after it was closed, whichever is earlier.
 *   <li>A reset leaves a key as if it had never been used.
 *   <li>A lease of which a slot is lost, because its key went over to another kind of policy, is not held any more.
 *   <li>To acquire a lease again that is held answers admitted, with what is left at that moment.
 * </ul>
 *
 * <p>Not safe for use by several threads.
 */
public final class ReferenceModel {
    private final Budgets budgets;
    private final Map<String, Reservation> reservations = new HashMap<>();
    private final IdentityHashMap<Verdict, Reservation> byVerdict = new IdentityHashMap<>();
    private final Map<String, Lease> leases = new HashMap<>();
    private final Set<Verdict> refunded = Collections.newSetFromMap(new IdentityHashMap<>());

    /** A model of an empty store that keeps each policy on the resolution that {@code resolutions} tells. */
    public ReferenceModel(Function<Policy, Resolution> resolutions) {
        this.budgets = new Budgets(resolutions);
    }

    private record Reservation(Verdict verdict, long endNanos) {}

    private record Lease(List<Charge> charges, long endNanos) {}

    public Verdict consume(List<Charge> charges, Moment now) {
        return budgets.decide(charges, now, null, 0);
    }

    public Verdict peek(List<Charge> charges, Moment now) {
        return budgets.look(charges, now);
    }

    /** Gives back what was spent, once; answers whether there was anything to give back. */
    public boolean refund(Verdict verdict, Moment now) {
        Reservation reservation = byVerdict.get(verdict);
        boolean isExpired = reservation != null && now.nanos() >= reservation.endNanos;
        boolean isFirst = verdict.spent() && !isExpired && refunded.add(verdict);
        if (isFirst) {
            adjustAll(verdict, charge -> 0, now);
            reservations.replaceAll((id, known) -> refunded.contains(known.verdict) ? closed(known, now) : known);
        }
        return isFirst;
    }

    public void reset(List<Key> keys, Moment now) {
        keys.forEach(key -> budgets.reset(key, now));
    }

    public Verdict reserve(String id, List<Charge> charges, Duration ttl, Moment now) {
        Reservation open = openReservation(id, now);
        if (open != null) {
            if (!keys(charges).equals(keys(open.verdict.charges()))) {
                throw new IllegalArgumentException("the reservation is open for other keys");
            }
            return open.verdict;
        }
        Verdict verdict = consume(charges, now);
        if (verdict.admitted()) {
            put(id, verdict, now.plus(ttl));
        }
        return verdict;
    }

    /** Replaces the estimates of the scopes that {@code costs} names; the others stand. */
    public Settlement settle(String id, Map<String, Long> costs, Moment now) {
        return close(id, now, charge -> costs.getOrDefault(charge.key().scope(), charge.cost()));
    }

    public Settlement cancel(String id, Moment now) {
        return close(id, now, charge -> 0);
    }

    public boolean prolong(String id, Duration ttl, Moment now) {
        Reservation open = openReservation(id, now);
        if (open == null || refunded.contains(open.verdict)) {
            return false;
        }
        put(id, open.verdict, now.plus(ttl));
        return true;
    }

    public Verdict acquire(String id, List<Charge> charges, Duration ttl, Moment now) {
        Lease held = heldLease(id, now);
        if (held != null && renew(id, ttl, now)) {
            return budgets.lookAtHeld(held.charges, now);
        }
        long end = now.plus(ttl).nanos();
        Verdict verdict = budgets.decide(charges, now, id, end);
        if (verdict.admitted()) {
            leases.put(id, new Lease(verdict.charges(), end));
        }
        return verdict;
    }

    public boolean renew(String id, Duration ttl, Moment now) {
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

    public boolean release(String id, Moment now) {
        Lease held = heldLease(id, now);
        if (held != null) {
            leases.remove(id);
            held.charges.forEach(charge -> budgets.release(charge, id));
        }
        return held != null;
    }

    /** The stretch of the calendar in which a moment lies, as far as the policy follows one: for those who write it down. */
    public static Optional<Stretch> stretch(Policy policy, Moment now) {
        return policy instanceof CalendarWindow window
                ? Optional.of(Calendars.stretch(window, now.ticks(policy, Resolution.MILLIS)))
                : Optional.empty();
    }

    private Settlement close(String id, Moment now, ToLongFunction<Charge> actual) {
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

    private void adjustAll(Verdict verdict, ToLongFunction<Charge> actual, Moment now) {
        for (int i = 0; i < verdict.charges().size(); i++) {
            Charge charge = verdict.charges().get(i);
            budgets.adjust(verdict, i, actual.applyAsLong(charge) - charge.cost(), now);
        }
    }

    private void put(String id, Verdict verdict, Moment end) {
        Reservation reservation = new Reservation(verdict, end.nanos());
        reservations.put(id, reservation);
        byVerdict.put(verdict, reservation);
    }

    private static List<Key> keys(List<Charge> charges) {
        return charges.stream().map(Charge::key).toList();
    }

    private static Reservation closed(Reservation known, Moment now) {
        return new Reservation(
                known.verdict,
                Math.min(known.endNanos, now.plus(Store.CLOSED_TTL).nanos()));
    }

    private @Nullable Reservation openReservation(String id, Moment now) {
        Reservation known = reservations.get(id);
        return known != null && now.nanos() < known.endNanos ? known : null;
    }

    private @Nullable Lease heldLease(String id, Moment now) {
        Lease known = leases.get(id);
        return known != null && now.nanos() < known.endNanos ? known : null;
    }
}
