package dev.weir.benchmarks;

/** How much time a measurement is given. */
public enum Effort {
    /** As long as the figures need. */
    FULL,
    /** About a minute, for rough figures. */
    QUICK,
    /** Every benchmark and every contestant once, as short as can be: all answers are checked, the figures mean nothing. */
    CHECK;

    /** The one of three that is for this effort. */
    public int choose(int full, int quick, int check) {
        return this == FULL ? full : this == QUICK ? quick : check;
    }
}
