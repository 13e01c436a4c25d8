package dev.weir;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The argument checks of every {@link Store}, with the same messages. */
public final class StoreArguments {
    private static final int LONGEST_ID = 256;

    private StoreArguments() {}

    /**
     * Checks that the store has not been {@linkplain Store#close closed}.
     *
     * @throws IllegalStateException if the store is closed
     */
    public static void checkOpen(boolean closed) {
        if (closed) {
            throw new IllegalStateException("the store is closed");
        }
    }

    /** Checks the charges of a decision: there is at least one, and one policy for each key. */
    public static void checkCharges(List<Charge> charges) {
        if (charges.isEmpty()) {
            throw new ArgumentException("charges", "there are no charges; a decision needs at least one");
        }
        for (int i = 1; i < charges.size(); i++) {
            Charge charge = charges.get(i);
            for (int before = 0; before < i; before++) {
                Charge other = charges.get(before);
                if (other.key().equals(charge.key()) && !other.policy().equals(charge.policy())) {
                    throw new ArgumentException(
                            "charges",
                            "charges " + before + " and " + i + " are for the same key, '" + charge.key()
                                    + "', under different policies; give each limit a scope of its own");
                }
            }
        }
    }

    /** Checks charges to consume: {@linkplain #checkCharges as for every decision}, and none is for slots. */
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

    /** Checks the id of a new reservation or lease. */
    public static void checkId(String id) {
        if (id.isEmpty() || id.length() > LONGEST_ID) {
            throw new ArgumentException("id", "id has " + id.length() + " characters; it must have 1 to " + LONGEST_ID);
        }
    }

    /** Checks a time to live and returns it in nanoseconds. */
    public static long ttlNanos(Duration ttl) {
        if (ttl.isNegative() || ttl.isZero() || ttl.compareTo(Store.LONGEST_TTL) > 0) {
            throw new ArgumentException(
                    "ttl", "ttl is " + ttl + "; it must be positive and at most " + Store.LONGEST_TTL);
        }
        return ttl.toNanos();
    }

    /** Checks a time to live and returns it in microseconds, rounded up so that nothing expires early. */
    public static long ttlMicros(Duration ttl) {
        return (ttlNanos(ttl) + 999) / 1_000;
    }

    /** Checks the actual costs by scope. */
    public static void checkCosts(Map<String, Long> costs) {
        costs.forEach((scope, cost) -> {
            if (cost < 0 || cost > Policy.MAX_COUNT) {
                throw new ArgumentException(
                        "costs", "the cost of '" + scope + "' is " + cost + "; it must be 0 to " + Policy.MAX_COUNT);
            }
        });
    }

    /** The exception for refunding a decision of another store. */
    public static ArgumentException foreignDecision() {
        return new ArgumentException("decision", "the decision was made by another store; give it back there");
    }

    /** The exception for reserving other keys under an id that is in use. */
    public static ArgumentException otherKeys(String id) {
        return new ArgumentException(
                "id", "the reservation '" + id + "' was made for other keys; a new reservation needs a new id");
    }

    /** The exception for settling a scope that the reservation does not have. */
    public static ArgumentException notReserved(String scope) {
        return new ArgumentException("costs", "the reservation holds nothing for '" + scope + "'");
    }
}
