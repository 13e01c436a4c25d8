package dev.weir;

import java.security.SecureRandom;

/**
 * What tells keys apart inside one process: SipHash-1-3 of a key's parts under a secret that is drawn when the process
 * starts.
 *
 * <p>Each part is hashed with its length, so that no two keys feed the hash the same input; without the secret nobody
 * can find two keys that meet. An instance is the hash's state after some parts: what keys of one scope share is
 * computed once.
 */
public final class KeyHash {
    private static final long SECRET_0;
    private static final long SECRET_1;

    static {
        SecureRandom random = new SecureRandom();
        SECRET_0 = random.nextLong();
        SECRET_1 = random.nextLong();
    }

    private final long v0;
    private final long v1;
    private final long v2;
    private final long v3;

    private KeyHash(long v0, long v1, long v2, long v3) {
        this.v0 = v0;
        this.v1 = v1;
        this.v2 = v2;
        this.v3 = v3;
    }

    /** The hash after a key's scope. */
    public static KeyHash of(String scope) {
        return new KeyHash(
                        SECRET_0 ^ 0x736f6d6570736575L,
                        SECRET_1 ^ 0x646f72616e646f6dL,
                        SECRET_0 ^ 0x6c7967656e657261L,
                        SECRET_1 ^ 0x7465646279746573L)
                .then(scope);
    }

    /** The hash after one part more. */
    public KeyHash then(String part) {
        int length = part.length();
        long a = v0;
        long b = v1;
        long c = v2;
        long d = v3;
        long block = length;
        for (int from = 0; ; from += 4) {
            // One round for each block of four characters; the first block is the length.
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
            if (from >= length) {
                return new KeyHash(a, b, c, d);
            }
            block = block(part, from, length);
        }
    }

    /** The hash of all parts so far. */
    public long finish() {
        long a = v0;
        long b = v1;
        long c = v2 ^ 0xff;
        long d = v3;
        for (int round = 0; round < 3; round++) {
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
        }
        return a ^ b ^ c ^ d;
    }

    private static long block(String part, int from, int length) {
        long block = part.charAt(from);
        if (from + 4 <= length) {
            return block
                    | ((long) part.charAt(from + 1) << 16)
                    | ((long) part.charAt(from + 2) << 32)
                    | ((long) part.charAt(from + 3) << 48);
        }
        if (from + 1 < length) {
            block |= ((long) part.charAt(from + 1) << 16);
        }
        if (from + 2 < length) {
            block |= ((long) part.charAt(from + 2) << 32);
        }
        return block;
    }
}
