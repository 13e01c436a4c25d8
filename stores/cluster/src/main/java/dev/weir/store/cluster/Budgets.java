package dev.weir.store.cluster;

import dev.weir.Policy;
import dev.weir.algorithm.PolicyModel;
import dev.weir.algorithm.SlotLedger;
import dev.weir.ledger.Budget;
import dev.weir.ledger.LedgerState;
import dev.weir.ledger.StoreTime;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The budgets of all keys in the replicated state, bounded in number.
 *
 * <p>A key has its own budget, a shared one, or none. An absent budget means a full one, so a budget may be evicted as
 * soon as it is full. Invariants:
 *
 * <ul>
 *   <li>There are at most {@code most} own budgets and {@link #MOST_SHARED} shared ones. {@link #makeRoom} throws
 *       {@link FullException} before anything is spent if a request might exceed both bounds.
 *   <li>Own budgets are in insertion order. A sweep takes the oldest, evicts it if it is full, and otherwise moves it
 *       to the end. Once the table is half full, every new key sweeps {@link #SWEPT_WITH_A_NEW_KEY} entries, so
 *       eviction keeps up with insertion.
 *   <li>When the table has no room, new keys use shared budgets. A hash with a secret chooses one of
 *       {@link #SHARED_PER_SCOPE} in the scope of the key, so a client cannot choose which keys share. A key stays with
 *       the shared budget until that is full. No count is lost: keys that share a budget together get what one budget
 *       allows, so a shared budget may refuse too much but never admits too much.
 *   <li>A reset removes the budget and records the reset in {@link Resets}. A refund of an earlier charge then has no
 *       effect.
 * </ul>
 *
 * <p>Deterministic: the result depends on the calls only. The order of all tables is part of the state and of the
 * snapshot. Not safe for use by several threads.
 */
final class Budgets implements LedgerState<StateCharge> {
    private static final int SWEPT_WITH_A_NEW_KEY = 2;
    private static final int SHARED_PER_SCOPE = 256;
    private static final int MOST_SHARED = 65_536;
    private static final int MOST_MET = 4_096;

    private final int most;
    private final LinkedHashMap<String, Budget> own = new LinkedHashMap<>();
    private final LinkedHashMap<String, Budget> shared = new LinkedHashMap<>();
    /** When policies with an initial fill were first seen, in ticks; the oldest is evicted beyond {@link #MOST_MET}. */
    private final LinkedHashMap<Policy, Long> met = new LinkedHashMap<>();

    final Resets resets = new Resets();

    /** A snapshot that is being written; null for none. */
    private @Nullable BudgetCapture capture;

    private long secret;
    private long sweeps;
    private long swept;

    Budgets(int most) {
        this.most = most;
    }

    /** Whether the budget can be evicted without affecting results. */
    private boolean isWhole(Budget budget, StoreTime now) {
        preserve(budget);
        PolicyModel model = budget.model();
        return model.isEvictable(budget.ledger(), firstSeenAt(model, now), now.ticks(model));
    }

    @Override
    public long firstSeen(PolicyModel model, StoreTime now) {
        Long known = met.get(model.policy());
        if (known != null) {
            return known;
        }
        if (met.size() >= MOST_MET) {
            met.remove(met.keySet().iterator().next());
        }
        met.put(model.policy(), now.ticks(model));
        return now.ticks(model);
    }

    /** When the policy was first seen; 0 if that was evicted or the policy was never seen. */
    @Override
    public long firstSeenAt(PolicyModel model, StoreTime now) {
        return met.getOrDefault(model.policy(), 0L);
    }

    /** Thrown if a table has no room for another entry. */
    static final class FullException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        FullException(String message) {
            super(message);
        }
    }

    @Override
    public @Nullable Budget budget(StateCharge line) {
        Budget kept = own.get(line.key());
        if (kept == null && !shared.isEmpty()) {
            kept = shared.get(sharedName(line.key()));
        }
        if (kept != null) {
            preserve(kept);
        }
        return kept;
    }

    /** Must be called before a budget's ledger is used in any way. */
    private void preserve(Budget budget) {
        BudgetCapture written = capture;
        if (written != null) {
            if (written.isOver()) {
                capture = null;
            } else {
                written.preserve(budget);
            }
        }
    }

    /** Captures the budgets of this moment. Its reader must call {@link BudgetCapture#end}. */
    BudgetCapture capture() {
        BudgetCapture before = capture;
        if (before != null && !before.isOver()) {
            throw new IllegalStateException("a snapshot is being written");
        }
        BudgetCapture made = new BudgetCapture(own, shared);
        capture = made;
        return made;
    }

    @Override
    public boolean isSameBudget(StateCharge one, StateCharge other) {
        return one.key().equals(other.key())
                || (mayShare(one.key())
                        && mayShare(other.key())
                        && sharedName(one.key()).equals(sharedName(other.key())));
    }

    /** Whether a charge of the key may be spent from a shared budget. */
    private boolean mayShare(String key) {
        return (own.size() >= most || !shared.isEmpty()) && !own.containsKey(key);
    }

    @Override
    public void keep(StateCharge line, Budget budget, StoreTime now) {
        String key = line.key();
        if (own.replace(key, budget) != null) {
            return;
        }
        if (!shared.isEmpty()) {
            String name = sharedName(key);
            Budget common = shared.get(name);
            if (common != null && (common.ledger() == budget.ledger() || !isWhole(common, now))) {
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

    /**
     * Checks that this many more budgets fit, before anything is spent.
     *
     * @throws FullException if they might not fit
     */
    @Override
    public void makeRoom(int count, StoreTime now) {
        if (own.size() + count > most && shared.size() + count > MOST_SHARED) {
            shared.values().removeIf(common -> isWhole(common, now));
            if (shared.size() + count > MOST_SHARED) {
                throw new FullException("there are " + most + " budgets already");
            }
        }
    }

    /**
     * Resets the key's budget and prevents refunds of earlier charges. Frees its slots, unless it shares them with
     * other keys.
     */
    void reset(String key, StoreTime now) {
        if (own.remove(key) == null && !shared.isEmpty()) {
            String name = sharedName(key);
            Budget common = shared.get(name);
            if (common != null && !(common.ledger() instanceof SlotLedger)) {
                shared.remove(name);
            }
        }
        resets.put(key, now);
    }

    @Override
    public long resetsSeen(StateCharge line, StoreTime now) {
        return resets.count();
    }

    @Override
    public boolean wasReset(StateCharge line, StoreTime spentAt, long seen, StoreTime now) {
        return resets.cameAfter(line.key(), seen, now);
    }

    @Override
    public void forgetResets(StateCharge line) {
        resets.forget(line.key());
    }

    /** Checks this many of the oldest budgets and evicts those that are full. */
    void sweep(int count, StoreTime now) {
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

    /** Sets the seed of the hash that chooses shared budgets. With it a client could search for keys that share one. */
    void secret(long newSecret) {
        secret = newSecret;
    }

    void forEachMet(BiConsumer<Policy, Long> visitor) {
        met.forEach(visitor);
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

    /** The name of the shared budget of a key. It contains a control character, so it equals no key's text. */
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
