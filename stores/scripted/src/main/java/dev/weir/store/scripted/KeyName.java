package dev.weir.store.scripted;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The name of a key in the backend.
 *
 * <p>Names are equal if their bytes are. Immutable: callers must not change the bytes.
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

    /** The tag, from 0 to {@link KeyNames#TAGS} - 1. */
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

    /** Shows the tag only, because a key may name a person. */
    @Override
    public String toString() {
        return "KeyName[" + tag + "]";
    }
}
