package dev.weir.server.dashboard;

import org.jspecify.annotations.Nullable;

/** How far back series go, and in which steps. */
enum SeriesRange {
    HOUR("1h", 720, 5),
    DAY("1d", 1440, 60),
    WEEK("1w", 672, 900);

    final String text;
    final int slots;
    final int slotSeconds;

    SeriesRange(String text, int slots, int slotSeconds) {
        this.text = text;
        this.slots = slots;
        this.slotSeconds = slotSeconds;
    }

    /** Returns the range with this name; null if there is none. */
    static @Nullable SeriesRange of(String text) {
        for (SeriesRange range : values()) {
            if (range.text.equals(text)) {
                return range;
            }
        }
        return null;
    }
}
