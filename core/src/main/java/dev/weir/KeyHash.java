package dev.weir;

import java.security.SecureRandom;

/**
 * The hash of keys inside one process: SipHash-1-3 with a secret that is drawn when the process starts.
 *
 * <p>The parts of a key are hashed one after another. Each part is hashed with its length, and with the hash of the
 * parts before it mixed into the secret. So the hash of a shared scope is computed once. Without the secret, an
 * attacker cannot search for two keys that collide. Allocates nothing.
 */
public final class KeyHash {
    private static final long SECRET_0;
    private static final long SECRET_1;

    static {
        SecureRandom random = new SecureRandom();
        SECRET_0 = random.nextLong();
        SECRET_1 = random.nextLong();
    }

    private KeyHash() {}

    /** The hash of a key's scope. */
    public static long of(String scope) {
        return then(0, scope);
    }

    /** The hash of a key that has this part after the parts that {@code before} is the hash of. */
    public static long then(long before, String part) {
        long a = SECRET_0 ^ before ^ 0x736f6d6570736575L;
        long b = SECRET_1 ^ 0x646f72616e646f6dL;
        long c = SECRET_0 ^ before ^ 0x6c7967656e657261L;
        long d = SECRET_1 ^ 0x7465646279746573L;
        int length = part.length();
        int rounds = (length + 3) / 4 + 1;
        // One round for each block of four characters, one for the length, and three to finish.
        for (int round = 0; round < rounds + 3; round++) {
            long block = round < rounds ? block(part, 4 * round, length) : 0;
            c ^= round == rounds ? 0xff : 0;
            d ^= block;
            a += b;
            c += d;
            b = Long.rotateLeft(b, 13) ^ a;
            d = Long.rotateLeft(d, 16) ^ c;
            a = Long.rotateLeft(a, 32);
            c += b;
            a += d;
            b = Long.rotateLeft(b, 17) ^ c;
            d = Long.rotateLeft(d, 21) ^ a;
            c = Long.rotateLeft(c, 32);
            a ^= block;
        }
        return a ^ b ^ c ^ d;
    }

    /** The next four characters as a long, or fewer at the end of the part; after the last character, the length. */
    private static long block(String part, int from, int length) {
        if (from >= length) {
            return length;
        }
        long block = part.charAt(from);
        if (from + 4 <= length) {
            return block
                    | ((long) part.charAt(from + 1) << 16)
                    | ((long) part.charAt(from + 2) << 32)
                    | ((long) part.charAt(from + 3) << 48);
        }
        if (from + 1 < length) {
            block |= (long) part.charAt(from + 1) << 16;
        }
        if (from + 2 < length) {
            block |= (long) part.charAt(from + 2) << 32;
        }
        return block;
    }
}
