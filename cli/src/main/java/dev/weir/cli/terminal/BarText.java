package dev.weir.cli.terminal;

/** Horizontal bars of block characters, exact to an eighth of a character. */
public final class BarText {
    private static final String EIGHTHS = " ▏▎▍▌▋▊▉";

    private BarText() {}

    /** A bar for a share of at most 1, without trailing blanks; anything above 0 is visible. */
    public static String of(double share, int width) {
        double bounded = Math.max(0, Math.min(1, share));
        int eighths = (int) Math.round(bounded * width * 8);
        if (eighths == 0 && share > 0) {
            eighths = 1;
        }
        int rest = eighths % 8;
        return "█".repeat(eighths / 8) + (rest == 0 ? "" : EIGHTHS.charAt(rest));
    }

    /** The same, filled up to the width with a light shade. */
    public static String onTrack(double share, int width) {
        String bar = of(share, width);
        return bar + "░".repeat(Math.max(0, width - bar.length()));
    }
}
