package dev.weir.testkit.model;

import dev.weir.Concurrency;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Slots: the units that each lease holds while {@code now} is before its end. */
final class SlotBudget extends Budget {
    private final long slots;
    private final Map<String, Hold> holds = new HashMap<>();

    private record Hold(long units, long end) {}

    SlotBudget(Concurrency policy) {
        super(policy);
        this.slots = policy.slots();
    }

    @Override
    Budget copy() {
        return resized((Concurrency) policy());
    }

    /** The same leases under another number of slots. */
    SlotBudget resized(Concurrency policy) {
        SlotBudget other = new SlotBudget(policy);
        other.holds.putAll(holds);
        return other;
    }

    /** Adds so many units to the lease, and sets the end of all that it holds to {@code end}. */
    void hold(String lease, long units, long end, long now) {
        forgetEnded(now);
        Hold before = holds.get(lease);
        holds.put(lease, new Hold(units + (before == null ? 0 : before.units), end));
    }

    boolean renew(String lease, long end) {
        return holds.computeIfPresent(lease, (same, hold) -> new Hold(hold.units, end)) != null;
    }

    void release(String lease) {
        holds.remove(lease);
    }

    @Override
    long available(long now) {
        return slots - held(now).stream().mapToLong(Hold::units).sum();
    }

    @Override
    long retryAfter(long cost, long now) {
        long free = available(now);
        long wait = 0;
        for (Hold hold : held(now)) {
            if (free >= cost) {
                break;
            }
            free += hold.units;
            wait = hold.end - now;
        }
        return wait;
    }

    @Override
    long resetAfter(long now) {
        return held(now).stream().mapToLong(hold -> hold.end - now).max().orElse(0);
    }

    @Override
    void spend(long cost, long now) {
        throw new IllegalArgumentException("slots are held, not spent");
    }

    @Override
    void giveBack(long cost, long spentAt, long now) {
        throw new IllegalArgumentException("slots are released, not given back");
    }

    /** The holds at {@code now}, sorted by their end. */
    private List<Hold> held(long now) {
        forgetEnded(now);
        return holds.values().stream()
                .sorted(Comparator.comparingLong(Hold::end))
                .toList();
    }

    private void forgetEnded(long now) {
        holds.values().removeIf(hold -> hold.end <= now);
    }
}
