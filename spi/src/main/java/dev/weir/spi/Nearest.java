package dev.weir.spi;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds the known name that is most similar to a mistyped one. */
public final class Nearest {
    /** Longer names are not compared: they are no typing errors, and comparing them would take long. */
    private static final int LONGEST = 64;

    private Nearest() {}

    /**
     * The known name with the smallest distance, if that is small for a name of that length: one, and one more per
     * three characters.
     */
    public static Optional<String> to(String typed, Collection<String> known) {
        if (typed.length() > LONGEST) {
            return Optional.empty();
        }
        return known.stream()
                .filter(name -> name.length() <= LONGEST)
                .filter(name -> editDistance(typed, name) <= 1 + Math.min(typed.length(), name.length()) / 3)
                .min(Comparator.<String>comparingInt(name -> editDistance(typed, name))
                        .thenComparing(name -> name));
    }

    /** The optimal string alignment distance: letters missing, added or changed, and neighbours swapped. */
    public static int editDistance(String a, String b) {
        int[][] distance = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                distance[i][j] = i == 0 || j == 0 ? i + j : cheapest(distance, a, b, i, j);
            }
        }
        return distance[a.length()][b.length()];
    }

    private static int cheapest(int[][] distance, String a, String b, int i, int j) {
        boolean same = a.charAt(i - 1) == b.charAt(j - 1);
        int least =
                Math.min(distance[i - 1][j - 1] + (same ? 0 : 1), Math.min(distance[i - 1][j], distance[i][j - 1]) + 1);
        boolean swapped = i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
        return swapped ? Math.min(least, distance[i - 2][j - 2] + 1) : least;
    }
}
