package dev.weir.store.jdbc.rows;

import dev.weir.ArgumentException;
import dev.weir.ledger.LedgerOperations;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One call of a store as a request to the database: the rows that it needs, and the step that decides on them.
 *
 * @param asked its charges
 * @param keys budgets that it needs beside those of the charges
 * @param hold its reservation or lease
 * @param step decides on the loaded rows, and returns the result of the store's call
 */
public record SqlRequest(
        Kind kind,
        List<RowCharge> asked,
        List<RowKey> keys,
        @Nullable RowKey hold,
        Function<TransactionRows, Object> step) {

    /** Tells calls that a database may decide by one statement from the others. */
    public enum Kind {
        CONSUME,
        PEEK,
        OTHER
    }

    /** See {@link dev.weir.Store#consume}. */
    public static SqlRequest consume(List<RowCharge> asked) {
        return new SqlRequest(
                Kind.CONSUME,
                asked,
                List.of(),
                null,
                transactionRows ->
                        transactionRows.decision(transactionRows.operations().consume(asked), null));
    }

    /** See {@link dev.weir.Store#peek}. */
    public static SqlRequest peek(List<RowCharge> asked) {
        return new SqlRequest(
                Kind.PEEK,
                asked,
                List.of(),
                null,
                transactionRows ->
                        transactionRows.decision(transactionRows.operations().peek(asked), null));
    }

    /** See {@link dev.weir.Store#reset}. */
    public static SqlRequest reset(List<RowKey> keys) {
        return new SqlRequest(Kind.OTHER, List.of(), keys, null, transactionRows -> {
            keys.forEach(transactionRows::reset);
            return true;
        });
    }

    /** Any other call. */
    public static SqlRequest of(List<RowCharge> asked, @Nullable RowKey hold, Function<TransactionRows, Object> step) {
        return new SqlRequest(Kind.OTHER, asked, List.of(), hold, step);
    }

    public static SqlRequest onHold(RowKey hold, Function<LedgerOperations<RowCharge>, Object> step) {
        return of(List.of(), hold, transactionRows -> step.apply(transactionRows.operations()));
    }

    /** Runs the step. Returns its result, or the argument error that only the loaded rows could show. */
    public Object decide(TransactionRows transactionRows) {
        try {
            return step.apply(transactionRows);
        } catch (ArgumentException misuse) {
            return misuse;
        }
    }
}
