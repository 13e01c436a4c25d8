package dev.weir.store.jdbc;

import dev.weir.ArgumentException;
import dev.weir.ledger.LedgerDecision;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One call of a store, on its way to the database: what it must know, and what it does then. */
sealed interface Question {

    /** Names what must be loaded. */
    void tell(Needs needs);

    /** Does it to what was loaded, and answers what the store's call answers. */
    Object apply(Workspace workspace);

    /**
     * The charge of a plain check: a lone one, on a token bucket that starts full or on a fixed window. Null for every other
     * question.
     */
    default @Nullable Asked plain() {
        return null;
    }

    /** Decides on what was loaded. The answer is {@link #apply}'s, or the misuse that only the database could find. */
    default Object decide(Workspace workspace) {
        try {
            return apply(workspace);
        } catch (ArgumentException misuse) {
            return misuse;
        }
    }

    /** See {@link dev.weir.Store#consume}. */
    record Consume(List<Asked> asked) implements Question {
        @Override
        public void tell(Needs needs) {
            needs.budgets(asked);
        }

        @Override
        public Object apply(Workspace workspace) {
            return workspace.decision(workspace.operations().consume(asked), null);
        }

        @Override
        public @Nullable Asked plain() {
            return asked.size() == 1 && asked.get(0).terms().isPlain() ? asked.get(0) : null;
        }
    }

    /** See {@link dev.weir.Store#peek}. */
    record Peek(List<Asked> asked) implements Question {
        @Override
        public void tell(Needs needs) {
            needs.budgets(asked);
        }

        @Override
        public Object apply(Workspace workspace) {
            return workspace.decision(workspace.operations().peek(asked), null);
        }
    }

    /** See {@link dev.weir.Store#refund}; a reservation's decision closes it. */
    record Refund(List<Asked> asked, LedgerDecision decision) implements Question {
        @Override
        public void tell(Needs needs) {
            needs.budgets(asked);
            if (decision.reservation() != null) {
                needs.hold(RowKey.ofReservation(decision.reservation()));
            }
        }

        @Override
        public Object apply(Workspace workspace) {
            String reservation = decision.reservation();
            if (reservation != null) {
                return workspace.operations().refundReservation(reservation, decision.moment());
            }
            workspace.operations().refund(decision.spent(asked));
            return true;
        }
    }

    /** See {@link dev.weir.Store#reset}. */
    record Reset(List<RowKey> keys) implements Question {
        @Override
        public void tell(Needs needs) {
            keys.forEach(needs::budget);
        }

        @Override
        public Object apply(Workspace workspace) {
            keys.forEach(workspace::reset);
            return true;
        }
    }

    /** See {@link dev.weir.Store#reserve}. */
    record Reserve(String id, List<Asked> asked, long ttlMicros) implements Question {
        @Override
        public void tell(Needs needs) {
            needs.budgets(asked);
            needs.hold(RowKey.ofReservation(id));
        }

        @Override
        public Object apply(Workspace workspace) {
            return workspace.decision(workspace.operations().reserve(id, asked, ttlMicros), id);
        }
    }

    /** See {@link dev.weir.Store#settle} and, without costs, {@link dev.weir.Store#cancel}. */
    record Close(String id, @Nullable Map<String, Long> costs) implements Question {
        @Override
        public void tell(Needs needs) {
            needs.hold(RowKey.ofReservation(id));
        }

        @Override
        public Object apply(Workspace workspace) {
            return costs == null
                    ? workspace.operations().cancel(id)
                    : workspace.operations().settle(id, costs);
        }
    }

    /** See {@link dev.weir.Store#prolong}. */
    record Prolong(String id, long ttlMicros) implements Question {
        @Override
        public void tell(Needs needs) {
            needs.hold(RowKey.ofReservation(id));
        }

        @Override
        public Object apply(Workspace workspace) {
            return workspace.operations().prolong(id, ttlMicros);
        }
    }

    /** See {@link dev.weir.Store#acquire}. */
    record Acquire(String id, List<Asked> asked, long ttlMicros) implements Question {
        @Override
        public void tell(Needs needs) {
            needs.budgets(asked);
            needs.hold(RowKey.ofLease(id));
        }

        @Override
        public Object apply(Workspace workspace) {
            return workspace.decision(workspace.operations().acquire(id, asked, ttlMicros), null);
        }
    }

    /** See {@link dev.weir.Store#renew}. */
    record Renew(String id, long ttlMicros) implements Question {
        @Override
        public void tell(Needs needs) {
            needs.hold(RowKey.ofLease(id));
        }

        @Override
        public Object apply(Workspace workspace) {
            return workspace.operations().renew(id, ttlMicros);
        }
    }

    /** See {@link dev.weir.Store#release}. */
    record Release(String id) implements Question {
        @Override
        public void tell(Needs needs) {
            needs.hold(RowKey.ofLease(id));
        }

        @Override
        public Object apply(Workspace workspace) {
            return workspace.operations().release(id);
        }
    }
}
