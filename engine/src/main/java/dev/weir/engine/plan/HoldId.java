package dev.weir.engine.plan;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The id of a reservation or lease. It contains all that is needed to end the hold: whether the store holds anything
 * under it, and how many shadow leases belong to it. It has 128 random bits, so it cannot be guessed.
 *
 * @param base {@code h} and 32 hexadecimal digits; {@code n} instead of {@code h} if the store holds nothing, because
 *     no limit applied; {@code b} if it also counts among the open reservations of its subject
 * @param shadows the number of shadow leases that are held besides it
 */
public record HoldId(String base, int shadows) {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final Pattern ID = Pattern.compile("([hnb][0-9a-f]{32})(?:\\.([0-9]{2}))?");
    private static final int MOST_SHADOWS = 99;

    /** Creates a new id. */
    public static HoldId create(boolean holdsSomething, int shadows) {
        return create(holdsSomething ? 'h' : 'n', shadows);
    }

    /** Creates a new id of a reservation that counts among the open ones of its subject. */
    public static HoldId createBounded(int shadows) {
        return create('b', shadows);
    }

    private static HoldId create(char kind, int shadows) {
        byte[] bits = new byte[16];
        RANDOM.nextBytes(bits);
        return new HoldId(kind + HexFormat.of().formatHex(bits), Math.min(shadows, MOST_SHADOWS));
    }

    /** Parses the id that a client sent; null if it has not the form of an id. */
    public static @Nullable HoldId parse(String text) {
        Matcher id = ID.matcher(text);
        return id.matches() ? new HoldId(id.group(1), id.group(2) == null ? 0 : Integer.parseInt(id.group(2))) : null;
    }

    public boolean holdsSomething() {
        return base.charAt(0) != 'n';
    }

    public boolean isBounded() {
        return base.charAt(0) == 'b';
    }

    /** The id under which the store holds one of the shadow leases. */
    public String shadow(int place) {
        return base + "." + place;
    }

    /** The ids under which the store holds the shadow leases. */
    public List<String> allShadows() {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < shadows; i++) {
            all.add(shadow(i));
        }
        return all;
    }

    /** The id as clients get it. */
    public String text() {
        return shadows == 0 ? base : base + "." + shadows / 10 + shadows % 10;
    }
}
