package dev.weir.testkit.history;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** One line of a golden vector file: a text for each column, {@code -} where it does not apply. */
final class VectorRow {
    private static final String NONE = "-";

    private final Map<Column, String> cells = new EnumMap<>(Column.class);

    /** The columns in their order; the README beside the files describes them. */
    enum Column {
        HISTORY,
        STEP,
        TIME,
        OP,
        ID,
        KEY,
        POLICY,
        AMOUNT,
        TTL,
        WINDOW_START,
        WINDOW_END,
        ANSWER,
        REMAINING,
        RETRY_AFTER,
        RESET_AFTER
    }

    static String header() {
        return Arrays.stream(Column.values())
                .map(column -> column.name().toLowerCase(Locale.ROOT))
                .collect(Collectors.joining("\t"));
    }

    static VectorRow parse(String line) {
        String[] texts = line.split("\t", -1);
        Column[] columns = Column.values();
        if (texts.length != columns.length) {
            throw new IllegalArgumentException(
                    "the line has " + texts.length + " cells; it must have " + columns.length + ": " + line);
        }
        VectorRow row = new VectorRow();
        for (int i = 0; i < texts.length; i++) {
            row.cells.put(columns[i], texts[i]);
        }
        return row;
    }

    VectorRow with(Column column, Object value) {
        cells.put(column, value.toString());
        return this;
    }

    String text(Column column) {
        return cells.getOrDefault(column, NONE);
    }

    long number(Column column) {
        return Long.parseLong(text(column));
    }

    boolean has(Column column) {
        return !text(column).equals(NONE);
    }

    String format() {
        return Arrays.stream(Column.values()).map(this::text).collect(Collectors.joining("\t"));
    }
}
