package dev.weir.store.jdbc;

import dev.weir.Concurrency;
import dev.weir.Policy;
import dev.weir.SlidingWindow;
import dev.weir.ledger.Budget;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A ledger's numbers as a row's columns: two of their own, and the others, if any, in {@code more}.
 *
 * <p>A sliding window's log and the leases of slots are all in {@code more}; the log's sum is beside it.
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared, and never changed.
record StateColumns(long a, long b, long @Nullable [] more) {

    /** @param kept null for a row that only remembers a reset */
    static StateColumns of(@Nullable Budget kept) {
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

    /** All numbers again. */
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

    static byte @Nullable [] bytes(long @Nullable [] numbers) {
        if (numbers == null) {
            return null;
        }
        ByteBuffer bytes = ByteBuffer.allocate(numbers.length * Long.BYTES);
        bytes.asLongBuffer().put(numbers);
        return bytes.array();
    }

    static long @Nullable [] numbers(byte @Nullable [] bytes) {
        if (bytes == null) {
            return null;
        }
        LongBuffer buffer = ByteBuffer.wrap(bytes).asLongBuffer();
        long[] numbers = new long[buffer.remaining()];
        buffer.get(numbers);
        return numbers;
    }
}
