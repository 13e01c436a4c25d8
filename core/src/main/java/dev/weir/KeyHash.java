package dev.weir;

import java.security.SecureRandom;

/**
 * What tells keys apart inside one process: SipHash-1-3 under a secret that is drawn when the process starts.
 *
 * <p>A key's parts are hashed one after another, each with its length and with what came before mixed into the secret;
 * so what keys of one scope share is computed once. Without the secret nobody can look for two keys that meet. Nothing
 * is created.
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

    /** The hash of the parts before, and one more. */
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

    /** Four characters from there on, or what is left of them; after the last, the length. */
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
