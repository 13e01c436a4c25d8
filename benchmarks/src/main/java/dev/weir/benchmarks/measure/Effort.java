package dev.weir.benchmarks.measure;

/** How much time a measurement takes. */
public enum Effort {
    /** As long as reliable figures need. */
    FULL,
    /** About a minute, for rough figures. */
    QUICK,
    /**
     * Every benchmark and every contestant once, as briefly as possible: all results are checked, the figures mean
     * nothing.
     */
    CHECK;

    /** Returns the argument for this effort. */
    public int choose(int full, int quick, int check) {
        return this == FULL ? full : this == QUICK ? quick : check;
    }
}
