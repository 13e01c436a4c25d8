package dev.weir.spi;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds the known name that a mistyped one was probably meant to be. */
public final class Nearest {
    /** Nothing longer is a slip of the pen, and comparing it would take long. */
    private static final int LONGEST = 64;

    private Nearest() {}

    /** The known name with the fewest slips, if they are few for a name of that length: one, and one more per three. */
    public static Optional<String> to(String typed, Collection<String> known) {
        if (typed.length() > LONGEST) {
            return Optional.empty();
        }
        return known.stream()
                .filter(name -> name.length() <= LONGEST)
                .filter(name -> slips(typed, name) <= 1 + Math.min(typed.length(), name.length()) / 3)
                .min(Comparator.<String>comparingInt(name -> slips(typed, name)).thenComparing(name -> name));
    }

    /** Letters missing, added or changed, and neighbours swapped (the optimal string alignment distance). */
    public static int slips(String a, String b) {
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
