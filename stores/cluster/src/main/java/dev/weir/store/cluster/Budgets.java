package dev.weir.store.cluster;

import dev.weir.Concurrency;
import dev.weir.Policy;
import dev.weir.TokenBucket;
import dev.weir.algorithm.Ledger;
import dev.weir.algorithm.Meter;
import dev.weir.algorithm.SlotLedger;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The budgets of all keys: a bounded number of them.
 *
 * <p>Deterministic: what happens depends on the calls alone, and the order of both tables is part of the state. With
 * every new key two old ones are looked at, and forgotten if they are whole. When there are still too many, new keys
 * share budgets that a secret hash chooses within their scope, until such a budget is whole again: nobody's count is
 * lost, and nobody gets more than one budget gives.
 */
final class Budgets {
    private static final int SWEPT_WITH_A_NEW_KEY = 2;
    private static final int SHARED_PER_SCOPE = 256;
    private static final int MOST_SHARED = 65_536;
    private static final int MOST_MET = 4_096;

    private final int most;
    private final LinkedHashMap<String, Budget> own = new LinkedHashMap<>();
    private final LinkedHashMap<String, Budget> shared = new LinkedHashMap<>();
    /** When policies with an initial fill were first met. */
    private final LinkedHashMap<Policy, Long> met = new LinkedHashMap<>();

    final Resets resets = new Resets();

    private long secret;
    private long sweeps;
    private long swept;

    Budgets(int most) {
        this.most = most;
    }

    /** One key's state under its policy. */
    record Budget(Meter meter, Ledger ledger) {}

    /** Whether it tells no more than none would. */
    private boolean isWhole(Budget budget, Moment now) {
        return budget.meter.isForgettable(budget.ledger, epoch(budget.meter), now.ticks(budget.meter));
    }

    /** When the policy was first met, as far as that is remembered. */
    private long epoch(Meter meter) {
        return met.getOrDefault(meter.policy(), 0L);
    }

    /** There is no room for one more. */
    static final class FullException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        FullException(String message) {
            super(message);
        }
    }

    /** The key's budget as this meter's policy has it; what is kept stays as it is until {@link #keep}. */
    Budget under(String key, Meter meter, Moment now) {
        Budget kept = find(key);
        if (kept != null && (kept.meter == meter || kept.meter.policy().equals(meter.policy()))) {
            return kept;
        }
        Budget fresh = fresh(meter, now);
        if (kept == null) {
            return fresh;
        }
        if (kept.ledger instanceof SlotLedger slots && meter.policy() instanceof Concurrency resized) {
            return new Budget(meter, slots.resized(resized.slots()));
        }
        long spent = kept.meter.spent(kept.ledger, epoch(kept.meter), now.ticks(kept.meter));
        if (spent > 0 && !(fresh.ledger instanceof SlotLedger)) {
            fresh.ledger.spend(Math.min(spent, meter.policy().capacity()), now.ticks(meter));
        }
        return fresh;
    }

    /** The budget that the key has; null for one of which nothing is known. */
    @Nullable
    Budget find(String key) {
        Budget kept = own.get(key);
        return kept != null || shared.isEmpty() ? kept : shared.get(sharedName(key));
    }

    /** Keeps what {@link #under} answered, now that something is spent from it. */
    void keep(String key, Budget budget, Moment now) {
        if (own.replace(key, budget) != null) {
            return;
        }
        if (!shared.isEmpty()) {
            String name = sharedName(key);
            Budget common = shared.get(name);
            if (common != null && (common.ledger == budget.ledger || !isWhole(common, now))) {
                shared.put(name, budget);
                return;
            }
        }
        if (own.size() >= most / 2) {
            sweep(SWEPT_WITH_A_NEW_KEY, now);
        }
        if (own.size() < most) {
            own.put(key, budget);
        } else {
            shared.put(sharedName(key), budget);
        }
    }

    /** Refuses to spend from so many more budgets if there might be too many: before anything is spent. */
    void makeRoom(int count, Moment now) {
        if (own.size() + count > most && shared.size() + count > MOST_SHARED) {
            shared.values().removeIf(common -> isWhole(common, now));
            if (shared.size() + count > MOST_SHARED) {
                throw new FullException("there are " + most + " budgets already");
            }
        }
    }

    /** Makes the key's budget whole, frees its slots, but none that it shares with other keys, and ends what was spent. */
    void reset(String key, Moment now) {
        if (own.remove(key) == null && !shared.isEmpty()) {
            String name = sharedName(key);
            Budget common = shared.get(name);
            if (common != null && !(common.ledger instanceof SlotLedger)) {
                shared.remove(name);
            }
        }
        resets.put(key, now);
    }

    /**
     * Spends so much more, or gives so much back of what was spent, whether it fits or not.
     *
     * @param index which of the charges that were spent together it is
     */
    void adjust(Line line, long difference, Spending spent, int index, Moment now) {
        if (difference == 0 || line.isForSlots()) {
            return;
        }
        Budget kept = find(line.key());
        if (kept != null && kept.ledger instanceof SlotLedger) {
            return;
        }
        if (difference > 0) {
            Budget charged = kept == null || isWhole(kept, now) ? fresh(line.meter(), now) : kept;
            charged.ledger.spend(difference, now.ticks(charged.meter));
            keep(line.key(), charged, now);
        } else if (kept != null && isStillSpent(line, spent, index, kept, now)) {
            kept.ledger.giveBack(-difference, spent.at().ticks(kept.meter), now.ticks(kept.meter));
        }
    }

    /** Whether no reset came since, and the window has not ended in which it was spent, or its own budget knows. */
    private boolean isStillSpent(Line line, Spending spent, int index, Budget kept, Moment now) {
        return !resets.cameAfter(line.key(), spent.resetsSeen(), now)
                && (kept.meter.policy().equals(line.meter().policy()) || !spent.hasEnded(index, line.meter(), now));
    }

    /** The key's slots, if it has any. */
    @Nullable
    SlotLedger slots(String key) {
        Budget kept = find(key);
        return kept != null && kept.ledger instanceof SlotLedger slots ? slots : null;
    }

    /** Looks at so many of the oldest, and forgets those that are whole. */
    void sweep(int count, Moment now) {
        sweeps++;
        for (int i = Math.min(count, own.size()); i > 0; i--) {
            Iterator<Map.Entry<String, Budget>> oldest = own.entrySet().iterator();
            Map.Entry<String, Budget> entry = oldest.next();
            String key = entry.getKey();
            Budget budget = entry.getValue();
            oldest.remove();
            if (isWhole(budget, now)) {
                swept++;
            } else {
                own.put(key, budget);
            }
        }
        if (count >= own.size()) {
            shared.values().removeIf(common -> isWhole(common, now));
        }
    }

    int size() {
        return own.size() + shared.size();
    }

    long sweeps() {
        return sweeps;
    }

    long swept() {
        return swept;
    }

    long secret() {
        return secret;
    }

    /** What chooses shared budgets; whoever knows it can look for keys that meet. */
    void secret(long newSecret) {
        secret = newSecret;
    }

    void forEachOwn(BiConsumer<String, Budget> visitor) {
        own.forEach(visitor);
    }

    void forEachShared(BiConsumer<String, Budget> visitor) {
        shared.forEach(visitor);
    }

    void forEachMet(BiConsumer<Policy, Long> visitor) {
        met.forEach(visitor);
    }

    int ownSize() {
        return own.size();
    }

    int sharedSize() {
        return shared.size();
    }

    int metSize() {
        return met.size();
    }

    void restoreOwn(String key, Budget budget) {
        own.put(key, budget);
    }

    void restoreShared(String name, Budget budget) {
        shared.put(name, budget);
    }

    void restoreMet(Policy policy, long ticks) {
        met.put(policy, ticks);
    }

    private Budget fresh(Meter meter, Moment now) {
        boolean fills = meter.policy() instanceof TokenBucket bucket && bucket.initial() < bucket.capacity();
        return new Budget(meter, meter.open(fills ? firstMet(meter, now) : 0));
    }

    private long firstMet(Meter meter, Moment now) {
        Long known = met.get(meter.policy());
        if (known != null) {
            return known;
        }
        if (met.size() >= MOST_MET) {
            met.remove(met.keySet().iterator().next());
        }
        met.put(meter.policy(), now.ticks(meter));
        return now.ticks(meter);
    }

    /** No key's text has a control character, so that this is no key's. */
    private String sharedName(String key) {
        int end = key.indexOf(':');
        long hash = secret;
        for (int i = 0; i < key.length(); i++) {
            hash = (hash ^ key.charAt(i)) * 0x9E3779B97F4A7C15L;
            hash ^= hash >>> 29;
        }
        String scope = end < 0 ? key : key.substring(0, end);
        return scope + '\0' + Math.floorMod(hash ^ (hash >>> 32), SHARED_PER_SCOPE);
    }
}
