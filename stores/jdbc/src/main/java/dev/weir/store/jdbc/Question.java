package dev.weir.store.jdbc;

import dev.weir.ArgumentException;
import dev.weir.ledger.LedgerOperations;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One call of a store, on its way to the database: what it must know, and what it does then.
 *
 * @param asked the charges that it names
 * @param keys the budgets that it names besides
 * @param hold the reservation or lease that it names
 * @param step does it to what was loaded, and answers what the store's call answers
 */
record Question(
        Kind kind,
        List<Asked> asked,
        List<RowKey> keys,
        @Nullable RowKey hold,
        Function<Workspace, Object> step) {

    /** What a database may have a statement for. */
    enum Kind {
        CONSUME,
        PEEK,
        OTHER
    }

    /** See {@link dev.weir.Store#consume}. */
    static Question consume(List<Asked> asked) {
        return new Question(
                Kind.CONSUME,
                asked,
                List.of(),
                null,
                workspace -> workspace.decision(workspace.operations().consume(asked), null));
    }

    /** See {@link dev.weir.Store#peek}. */
    static Question peek(List<Asked> asked) {
        return new Question(
                Kind.PEEK,
                asked,
                List.of(),
                null,
                workspace -> workspace.decision(workspace.operations().peek(asked), null));
    }

    /** See {@link dev.weir.Store#reset}. */
    static Question reset(List<RowKey> keys) {
        return new Question(Kind.OTHER, List.of(), keys, null, workspace -> {
            keys.forEach(workspace::reset);
            return true;
        });
    }

    /** Any other call. */
    static Question of(List<Asked> asked, @Nullable RowKey hold, Function<Workspace, Object> step) {
        return new Question(Kind.OTHER, asked, List.of(), hold, step);
    }

    static Question onHold(RowKey hold, Function<LedgerOperations<Asked>, Object> step) {
        return of(List.of(), hold, workspace -> step.apply(workspace.operations()));
    }

    /** Decides on what was loaded. The answer is the step's, or the misuse that only the database could find. */
    Object decide(Workspace workspace) {
        try {
            return step.apply(workspace);
        } catch (ArgumentException misuse) {
            return misuse;
        }
    }
}
