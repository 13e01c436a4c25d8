package dev.weir.store.scripted;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A key as the script knows it.
 *
 * <p>Equal names are equal bytes; the bytes are never changed.
 */
public final class KeyName {
    private final byte[] bytes;
    private final int tag;
    private final int hash;

    KeyName(byte[] bytes, int tag) {
        this.bytes = bytes;
        this.tag = tag;
        this.hash = Arrays.hashCode(bytes);
    }

    public byte[] bytes() {
        return bytes;
    }

    /** Which of the {@link KeyNames#TAGS} parts of the key space it is in. */
    public int tag() {
        return tag;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof KeyName name && hash == name.hash && Arrays.equals(bytes, name.bytes);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    /** The part only: a key may name a person. */
    @Override
    public String toString() {
        return "KeyName[" + tag + "]";
    }
}
