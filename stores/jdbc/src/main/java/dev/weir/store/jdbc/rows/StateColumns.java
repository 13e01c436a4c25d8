package dev.weir.store.jdbc.rows;

import dev.weir.Concurrency;
import dev.weir.Policy;
import dev.weir.SlidingWindow;
import dev.weir.ledger.Budget;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The state of a ledger as columns: two numbers have columns of their own; others, if any, are in {@code more}.
 *
 * <p>The log of a sliding window and the leases of slots are in {@code more}. The sum of the log is in {@code a}.
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared, and never changed.
public record StateColumns(long a, long b, long @Nullable [] more) {

    /**
     * The columns of a budget.
     *
     * @param kept null for a row that contains only the mark of a reset
     */
    public static StateColumns of(@Nullable Budget kept) {
        if (kept == null) {
            return new StateColumns(0, 0, null);
        }
        long[] state = kept.ledger().state();
        if (isOfAnyLength(kept.model().policy())) {
            long sum = 0;
            if (kept.model().policy() instanceof SlidingWindow) {
                for (int i = 1; i < state.length; i += 2) {
                    sum += state[i];
                }
            }
            return new StateColumns(sum, 0, state);
        }
        return new StateColumns(
                state[0], state[1], state.length == 2 ? null : Arrays.copyOfRange(state, 2, state.length));
    }

    /** The state of the ledger. */
    long[] join(SqlPolicy sqlPolicy) {
        long[] others = more == null ? new long[0] : more;
        if (isOfAnyLength(sqlPolicy.policy())) {
            return others;
        }
        long[] state = new long[2 + others.length];
        state[0] = a;
        state[1] = b;
        System.arraycopy(others, 0, state, 2, others.length);
        return state;
    }

    private static boolean isOfAnyLength(Policy policy) {
        return policy instanceof SlidingWindow || policy instanceof Concurrency;
    }

    public static byte @Nullable [] bytes(long @Nullable [] numbers) {
        if (numbers == null) {
            return null;
        }
        ByteBuffer bytes = ByteBuffer.allocate(numbers.length * Long.BYTES);
        bytes.asLongBuffer().put(numbers);
        return bytes.array();
    }

    public static long @Nullable [] numbers(byte @Nullable [] bytes) {
        if (bytes == null) {
            return null;
        }
        LongBuffer buffer = ByteBuffer.wrap(bytes).asLongBuffer();
        long[] numbers = new long[buffer.remaining()];
        buffer.get(numbers);
        return numbers;
    }
}
