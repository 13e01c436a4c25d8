package dev.weir.store.jdbc;

import dev.weir.ArgumentException;
import dev.weir.ledger.LedgerOperations;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One call of a store, on its way to the database: what it must know, and what it does then. */
sealed interface Question {

    /** Names what must be loaded. */
    void tell(Needs needs);

    /** Does it to what was loaded, and answers what the store's call answers. */
    Object apply(Workspace workspace);

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

    /**
     * Any other call.
     *
     * @param asked the charges that it names
     * @param hold the reservation or lease that it names
     */
    record Operation(List<Asked> asked, @Nullable RowKey hold, Function<Workspace, Object> step) implements Question {
        static Operation onHold(RowKey hold, Function<LedgerOperations<Asked>, Object> step) {
            return new Operation(List.of(), hold, workspace -> step.apply(workspace.operations()));
        }

        @Override
        public void tell(Needs needs) {
            needs.budgets(asked);
            if (hold != null) {
                needs.hold(hold);
            }
        }

        @Override
        public Object apply(Workspace workspace) {
            return step.apply(workspace);
        }
    }
}
