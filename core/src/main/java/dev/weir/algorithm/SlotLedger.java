package dev.weir.algorithm;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The slots of a concurrency limit, each held by a lease until it is released or expires.
 *
 * <p>A lease is held while {@code now < expiresAt}. Each operation with a time removes expired leases.
 */
public final class SlotLedger extends Ledger {
    private final long slots;
    private final Map<String, SlotHold> leases = new HashMap<>();
    private final TreeSet<SlotHold> byExpiry = new TreeSet<>();
    private long held;

    SlotLedger(long slots) {
        this.slots = slots;
    }

    private record SlotHold(String id, long units, long expiresAt) implements Comparable<SlotHold> {
        @Override
        public int compareTo(SlotHold other) {
            int byTime = Long.compare(expiresAt, other.expiresAt);
            return byTime != 0 ? byTime : id.compareTo(other.id);
        }
    }

    /** A copy with the leases that are held now, and another number of slots. */
    public SlotLedger resized(long newSlots, long now) {
        expire(now);
        SlotLedger other = new SlotLedger(newSlots);
        leases.values().forEach(lease -> other.hold(lease.id, lease.units, lease.expiresAt));
        return other;
    }

    /** Holds {@code units} more for the lease, and extends all that it holds to {@code expiresAt}. */
    public void hold(String id, long units, long expiresAt) {
        SlotHold before = leases.get(id);
        release(id);
        SlotHold lease = new SlotHold(id, before == null ? units : before.units + units, expiresAt);
        leases.put(id, lease);
        byExpiry.add(lease);
        held += lease.units;
    }

    /** Holds the lease until {@code expiresAt}; returns false if it was no longer held. */
    public boolean renew(String id, long expiresAt, long now) {
        expire(now);
        SlotHold lease = leases.get(id);
        if (lease != null) {
            hold(id, 0, expiresAt);
        }
        return lease != null;
    }

    /** Frees the lease's slots; returns false if it held none. */
    public boolean release(String id) {
        @Nullable SlotHold lease = leases.remove(id);
        if (lease != null) {
            byExpiry.remove(lease);
            held -= lease.units;
        }
        return lease != null;
    }

    @Override
    public long available(long now) {
        expire(now);
        return slots - held;
    }

    @Override
    public long retryAfter(long cost, long now) {
        long excess = cost - available(now);
        for (SlotHold lease : byExpiry) {
            excess -= lease.units;
            if (excess <= 0) {
                return lease.expiresAt - now;
            }
        }
        throw new IllegalArgumentException("cost " + cost + " is above the " + slots + " slots");
    }

    @Override
    public long resetAfter(long now) {
        expire(now);
        return byExpiry.isEmpty() ? 0 : byExpiry.last().expiresAt - now;
    }

    @Override
    public void spend(long cost, long now) {
        throw new UnsupportedOperationException("slots are held by a lease");
    }

    @Override
    public void giveBack(long cost, long spentAt, long now) {
        throw new UnsupportedOperationException("slots are released by their lease");
    }

    /** For each lease its units, its end, the length of its id, and the id's characters, four to a number. */
    @Override
    public long[] state() {
        int length = 0;
        for (SlotHold lease : byExpiry) {
            length += 3 + (lease.id.length() + 3) / 4;
        }
        long[] state = new long[length];
        int at = 0;
        for (SlotHold lease : byExpiry) {
            state[at++] = lease.units;
            state[at++] = lease.expiresAt;
            state[at++] = lease.id.length();
            for (int i = 0; i < lease.id.length(); i++) {
                state[at + i / 4] |= (long) lease.id.charAt(i) << (16 * (i % 4));
            }
            at += (lease.id.length() + 3) / 4;
        }
        return state;
    }

    /** Restores the leases from their {@link #state()}. */
    SlotLedger resumed(long[] state) {
        int at = 0;
        while (at < state.length) {
            char[] id = new char[Math.toIntExact(state[at + 2])];
            for (int i = 0; i < id.length; i++) {
                id[i] = (char) (state[at + 3 + i / 4] >>> (16 * (i % 4)));
            }
            hold(new String(id), state[at], state[at + 1]);
            at += 3 + (id.length + 3) / 4;
        }
        return this;
    }

    private void expire(long now) {
        while (!byExpiry.isEmpty() && byExpiry.first().expiresAt <= now) {
            release(byExpiry.first().id);
        }
    }
}
