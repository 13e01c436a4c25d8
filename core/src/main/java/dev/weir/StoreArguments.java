package dev.weir;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The checks that every {@link Store} makes of its arguments before it does anything, in one wording. */
public final class StoreArguments {
    private static final int LONGEST_ID = 256;

    private StoreArguments() {}

    /**
     * Refuses a call after {@link Store#close}.
     *
     * @throws IllegalStateException if the store is closed
     */
    public static void checkOpen(boolean closed) {
        if (closed) {
            throw new IllegalStateException("the store is closed");
        }
    }

    /** Charges of a decision: at least one, and one policy for each key. */
    public static void checkCharges(List<Charge> charges) {
        if (charges.isEmpty()) {
            throw new ArgumentException("charges", "there are no charges; a decision needs at least one");
        }
        for (int i = 1; i < charges.size(); i++) {
            checkPolicy(charges, i);
        }
    }

    /** Charges that are consumed: {@linkplain #checkCharges as every decision's}, and none for slots. */
    public static void checkConsumed(List<Charge> charges) {
        checkCharges(charges);
        for (int i = 0; i < charges.size(); i++) {
            if (charges.get(i).policy() instanceof Concurrency) {
                throw new ArgumentException(
                        "charges",
                        "charge " + i + " is for slots; they are held by a lease: use acquire, which gives them back");
            }
        }
    }

    private static void checkPolicy(List<Charge> charges, int index) {
        Charge charge = charges.get(index);
        // Equal keys have equal hashes. Comparing those alone keeps the common case small enough to be inlined.
        long hash = charge.key().hash();
        for (int before = 0; before < index; before++) {
            Charge other = charges.get(before);
            if (other.key().hash() == hash && isOtherPolicy(other, charge)) {
                throw new ArgumentException(
                        "charges",
                        "charges " + before + " and " + index + " are for the same key, '" + charge.key()
                                + "', under different policies; give each limit a scope of its own");
            }
        }
    }

    private static boolean isOtherPolicy(Charge one, Charge other) {
        return one.key().equals(other.key()) && !one.policy().equals(other.policy());
    }

    /** The id of a new reservation or lease. */
    public static void checkId(String id) {
        if (id.isEmpty() || id.length() > LONGEST_ID) {
            throw new ArgumentException("id", "id has " + id.length() + " characters; it must have 1 to " + LONGEST_ID);
        }
    }

    /** A time to live in nanoseconds. */
    public static long ttlNanos(Duration ttl) {
        if (ttl.isNegative() || ttl.isZero() || ttl.compareTo(Store.LONGEST_TTL) > 0) {
            throw new ArgumentException(
                    "ttl",
                    "ttl is " + DurationText.of(ttl) + "; it must be positive and at most "
                            + DurationText.of(Store.LONGEST_TTL));
        }
        return ttl.toNanos();
    }

    /** A time to live in microseconds, rounded up: nothing ends early. */
    public static long ttlMicros(Duration ttl) {
        return (ttlNanos(ttl) + 999) / 1_000;
    }

    /** What was actually used, by scope. */
    public static void checkCosts(Map<String, Long> costs) {
        costs.forEach((scope, cost) -> {
            if (cost < 0 || cost > Policy.MAX_COUNT) {
                throw new ArgumentException(
                        "costs", "the cost of '" + scope + "' is " + cost + "; it must be 0 to " + Policy.MAX_COUNT);
            }
        });
    }

    /** The misuse of refunding a decision that another store made. */
    public static ArgumentException foreignDecision() {
        return new ArgumentException("decision", "the decision was made by another store; give it back there");
    }

    /** The misuse of reserving other keys under an id that names a reservation. */
    public static ArgumentException otherKeys(String id) {
        return new ArgumentException(
                "id", "the reservation '" + id + "' was made for other keys; a new reservation needs a new id");
    }

    /** The misuse of settling a scope of which a reservation holds nothing. */
    public static ArgumentException notReserved(String scope) {
        return new ArgumentException("costs", "the reservation holds nothing for '" + scope + "'");
    }
}
