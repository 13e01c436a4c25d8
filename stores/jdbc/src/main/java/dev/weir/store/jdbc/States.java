package dev.weir.store.jdbc;

import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import org.jspecify.annotations.Nullable;

/** A ledger's numbers in columns: the first two in {@code a} and {@code b}, the others, if any, in {@code more}. */
final class States {
    private States() {}

    static long a(long[] state) {
        return state.length > 0 ? state[0] : 0;
    }

    static long b(long[] state) {
        return state.length > 1 ? state[1] : 0;
    }

    /** The numbers after the first two; null if there are none. */
    static long @Nullable [] more(long[] state) {
        if (state.length <= 2) {
            return null;
        }
        long[] more = new long[state.length - 2];
        System.arraycopy(state, 2, more, 0, more.length);
        return more;
    }

    /** All numbers again. Nothing is spent where both are zero and no more follow, for ledgers of any length. */
    static long[] join(long a, long b, long @Nullable [] more) {
        long[] state = new long[2 + (more == null ? 0 : more.length)];
        state[0] = a;
        state[1] = b;
        if (more != null) {
            System.arraycopy(more, 0, state, 2, more.length);
        }
        return state;
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
