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
record SqlRequest(
        Kind kind,
        List<RowCharge> asked,
        List<RowKey> keys,
        @Nullable RowKey hold,
        Function<TransactionRows, Object> step) {

    /** What a database may have a statement for. */
    enum Kind {
        CONSUME,
        PEEK,
        OTHER
    }

    /** See {@link dev.weir.Store#consume}. */
    static SqlRequest consume(List<RowCharge> asked) {
        return new SqlRequest(
                Kind.CONSUME,
                asked,
                List.of(),
                null,
                transactionRows ->
                        transactionRows.decision(transactionRows.operations().consume(asked), null));
    }

    /** See {@link dev.weir.Store#peek}. */
    static SqlRequest peek(List<RowCharge> asked) {
        return new SqlRequest(
                Kind.PEEK,
                asked,
                List.of(),
                null,
                transactionRows ->
                        transactionRows.decision(transactionRows.operations().peek(asked), null));
    }

    /** See {@link dev.weir.Store#reset}. */
    static SqlRequest reset(List<RowKey> keys) {
        return new SqlRequest(Kind.OTHER, List.of(), keys, null, transactionRows -> {
            keys.forEach(transactionRows::reset);
            return true;
        });
    }

    /** Any other call. */
    static SqlRequest of(List<RowCharge> asked, @Nullable RowKey hold, Function<TransactionRows, Object> step) {
        return new SqlRequest(Kind.OTHER, asked, List.of(), hold, step);
    }

    static SqlRequest onHold(RowKey hold, Function<LedgerOperations<RowCharge>, Object> step) {
        return of(List.of(), hold, transactionRows -> step.apply(transactionRows.operations()));
    }

    /** Decides on what was loaded. The answer is the step's, or the misuse that only the database could find. */
    Object decide(TransactionRows transactionRows) {
        try {
            return step.apply(transactionRows);
        } catch (ArgumentException misuse) {
            return misuse;
        }
    }
}
