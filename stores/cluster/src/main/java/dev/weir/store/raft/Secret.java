package dev.weir.store.raft;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * What all nodes of a cluster know and nobody else: they prove it to each other, and what they say is sealed with keys
 * made from it (AES-256-GCM, another key for each connection, the frame's number as its nonce).
 */
public final class Secret {
    private static final int ITERATIONS = 100_000;
    private static final int TAG_BITS = 128;

    private final byte[] key;

    private Secret(byte[] key) {
        this.key = key;
    }

    /**
     * The secret of a cluster.
     *
     * @param text the longer the better: a short one can be guessed by whoever has recorded a connection
     */
    public static Secret of(String text, String clusterName) {
        if (text.length() < 8) {
            throw new IllegalArgumentException(
                    "the secret has " + text.length() + " characters; it must have at least 8");
        }
        try {
            PBEKeySpec spec = new PBEKeySpec(
                    text.toCharArray(), ("weir/" + clusterName).getBytes(StandardCharsets.UTF_8), ITERATIONS, 256);
            return new Secret(SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256")
                    .generateSecret(spec)
                    .getEncoded());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java lacks what encryption needs", e);
        }
    }

    /** Proves that one knows the secret, for one purpose and one conversation. */
    byte[] prove(String purpose, byte[] conversation) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            mac.update(purpose.getBytes(StandardCharsets.UTF_8));
            return mac.doFinal(conversation);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java lacks what encryption needs", e);
        }
    }

    boolean isProof(byte[] proof, String purpose, byte[] conversation) {
        return MessageDigest.isEqual(proof, prove(purpose, conversation));
    }

    /** Seals or opens what is said for one purpose in one conversation, in its order, with a key for nothing else. */
    Seal seal(boolean seals, String purpose, byte[] conversation) {
        return new Seal(seals ? Cipher.ENCRYPT_MODE : Cipher.DECRYPT_MODE, prove(purpose, conversation));
    }

    /** The frames that one key seals. */
    static final class Seal {
        private final int mode;
        private final SecretKeySpec key;
        private final Cipher cipher;
        private long number;

        private Seal(int mode, byte[] key) {
            this.mode = mode;
            this.key = new SecretKeySpec(key, "AES");
            try {
                this.cipher = Cipher.getInstance("AES/GCM/NoPadding");
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException("this Java lacks what encryption needs", e);
            }
        }

        /** @throws GeneralSecurityException if the frame was changed, repeated or left out */
        byte[] next(byte[] frame, int length) throws GeneralSecurityException {
            byte[] nonce = ByteBuffer.allocate(12).putInt(0).putLong(number++).array();
            cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
            return cipher.doFinal(frame, 0, length);
        }
    }
}
