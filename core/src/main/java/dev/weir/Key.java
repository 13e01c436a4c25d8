package dev.weir;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The identity of a budget: a scope (the limit's name) and the values that distinguish one holder from another.
 *
 * <p>Keys are injective: two keys are equal only if their scope and every value are equal, whatever characters the
 * values contain. A key may identify a person, so {@link #toString()} shows the scope alone; {@link #text()} is for
 * stores. Immutable.
 */
public final class Key {
    private final String scope;
    private final List<String> values;
    /** Computed by the first call of {@link #text()}. Racing threads compute the same text twice, which is harmless. */
    private @Nullable String text;

    private final long hash;

    private Key(String scope, List<String> values, long hash) {
        this.scope = scope;
        this.values = values;
        this.hash = hash;
    }

    /** A key of a scope and values, none of them null. */
    public static Key of(String scope, String... values) {
        Objects.requireNonNull(values, "values is null");
        for (int i = 0; i < values.length; i++) {
            checkValue(i, values[i]);
        }
        return of(scope, List.of(values));
    }

    /** A key of a scope and values, none of them null. */
    public static Key of(String scope, List<String> values) {
        Objects.requireNonNull(scope, "scope is null; it must be a limit's name or the like");
        Objects.requireNonNull(values, "values is null");
        for (int i = 0; i < values.size(); i++) {
            checkValue(i, values.get(i));
        }
        List<String> own = List.copyOf(values);
        return new Key(scope, own, hash(scope, own));
    }

    /**
     * Returns this key with one more value appended. Callers that build many keys of one scope hash the scope only
     * once.
     */
    public Key and(String value) {
        checkValue(values.size(), value);
        return new Key(scope, followedBy(value), KeyHash.then(hash, value));
    }

    private static void checkValue(int index, @Nullable String value) {
        if (value == null) {
            throw new NullPointerException(
                    "value " + index + " of a key is null; it must name the subject of the budget");
        }
    }

    private List<String> followedBy(String value) {
        if (values.isEmpty()) {
            return List.of(value);
        }
        List<String> longer = new ArrayList<>(values);
        longer.add(value);
        return List.copyOf(longer);
    }

    private static long hash(String scope, List<String> values) {
        long parts = KeyHash.of(scope);
        for (int i = 0; i < values.size(); i++) {
            parts = KeyHash.then(parts, values.get(i));
        }
        return parts;
    }

    /** The limit's name, or another name that separates these keys from others in the same store. */
    public String scope() {
        return scope;
    }

    public List<String> values() {
        return values;
    }

    /**
     * A text that is unique to this key: the parts joined by colons, with ambiguous and unprintable characters escaped.
     */
    public String text() {
        String made = text;
        if (made == null) {
            StringBuilder joined = new StringBuilder(scope.length() + 16 * values.size());
            KeyText.appendEscaped(joined, scope);
            for (String value : values) {
                KeyText.appendEscaped(joined.append(':'), value);
            }
            made = joined.toString();
            text = made;
        }
        return made;
    }

    /**
     * The {@link KeyHash} of this key. Equal keys have the same hash within one process; other processes compute other
     * hashes.
     */
    public long hash() {
        return hash;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Key key && hash == key.hash && scope.equals(key.scope) && values.equals(key.values);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(hash);
    }

    /** The scope only: a key's values may be personal and do not belong in a log. */
    @Override
    public String toString() {
        return "Key[" + scope + "+" + values.size() + "]";
    }
}
