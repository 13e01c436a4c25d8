package dev.weir.cli.terminal;

import java.util.ArrayList;
import java.util.List;

/** Formats rows of cells as text lines. */
public final class Columns {
    private Columns() {}

    /** Returns lines with columns as wide as their widest cell, without trailing blanks. */
    public static List<String> aligned(List<List<String>> rows) {
        int[] widths = new int[rows.get(0).size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], Style.width(row.get(i)));
            }
        }
        List<String> lines = new ArrayList<>();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                line.append(row.get(i)).append(" ".repeat(widths[i] - Style.width(row.get(i)) + 2));
            }
            lines.add(line.toString().stripTrailing());
        }
        return lines;
    }
}
