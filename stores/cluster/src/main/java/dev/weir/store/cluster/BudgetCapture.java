package dev.weir.store.cluster;

import dev.weir.algorithm.Ledger;
import dev.weir.algorithm.PolicyModel;
import dev.weir.ledger.Budget;
import java.io.IOException;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The budgets of the replicated state at one moment. Another thread reads them while the state changes.
 *
 * <p>Capturing copies references only. Before the thread of the state machine reads or changes a budget, it calls
 * {@link #preserve}, which copies the budget's numbers the first time. (Reading may change a ledger, too: it drops what has
 * expired.) The thread that encodes takes the copy, or the numbers themselves if there is none. Each holds the lock
 * meanwhile. The lock is fair and the encoder holds it for {@link #SLICE} budgets, so the state machine waits for
 * microseconds.
 */
final class BudgetCapture {
    private static final int SLICE = 256;

    private final ReentrantLock lock = new ReentrantLock(true);
    /** The numbers at the moment of the capture, by identity; guarded by the lock. */
    private final IdentityHashMap<Ledger, long[]> preserved = new IdentityHashMap<>();

    private final String[] keys;
    private final Budget[] budgets;
    private final int ownSize;
    private int size;
    private volatile boolean isOver;

    /** Receives one budget as it was. */
    interface BudgetVisitor {
        void budget(String key, PolicyModel model, long[] state) throws IOException;
    }

    BudgetCapture(Map<String, Budget> own, Map<String, Budget> shared) {
        ownSize = own.size();
        keys = new String[ownSize + shared.size()];
        budgets = new Budget[keys.length];
        own.forEach(this::add);
        shared.forEach(this::add);
    }

    private void add(String key, Budget budget) {
        keys[size] = key;
        budgets[size] = budget;
        size++;
    }

    int ownSize() {
        return ownSize;
    }

    int sharedSize() {
        return size - ownSize;
    }

    PolicyModel model(int index) {
        return budgets[index].model();
    }

    /** Whether the encoder has finished, so that nothing needs to be preserved. */
    boolean isOver() {
        return isOver;
    }

    void end() {
        isOver = true;
    }

    void preserve(Budget budget) {
        lock.lock();
        try {
            long[] unused = preserved.computeIfAbsent(budget.ledger(), Ledger::state);
        } finally {
            lock.unlock();
        }
    }

    void forEachOwn(BudgetVisitor visitor) throws IOException {
        forEach(0, ownSize, visitor);
    }

    void forEachShared(BudgetVisitor visitor) throws IOException {
        forEach(ownSize, size, visitor);
    }

    private void forEach(int from, int to, BudgetVisitor visitor) throws IOException {
        long[][] states = new long[SLICE][];
        for (int begin = from; begin < to; begin += SLICE) {
            int end = Math.min(to, begin + SLICE);
            lock.lock();
            try {
                for (int i = begin; i < end; i++) {
                    Ledger ledger = budgets[i].ledger();
                    long[] copy = preserved.get(ledger);
                    states[i - begin] = copy == null ? ledger.state() : copy;
                }
            } finally {
                lock.unlock();
            }
            for (int i = begin; i < end; i++) {
                visitor.budget(keys[i], budgets[i].model(), states[i - begin]);
            }
        }
    }
}
