package dev.weir.benchmarks.measure;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** A table of text. The first columns are aligned to the left, the others to the right. */
public final class Table {
    private final String title;
    private final int leftColumns;
    private final List<List<String>> rows = new ArrayList<>();

    public Table(String title, int leftColumns, List<String> header) {
        this.title = title;
        this.leftColumns = leftColumns;
        rows.add(header);
    }

    public void add(List<String> row) {
        rows.add(row);
    }

    public boolean isEmpty() {
        return rows.size() == 1;
    }

    public String text() {
        StringBuilder text = new StringBuilder(title).append('\n');
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder(" ");
            for (int i = 0; i < row.size(); i++) {
                line.append(' ').append(aligned(row.get(i), i)).append(' ');
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
        return text.toString();
    }

    public String markdown() {
        StringBuilder text = new StringBuilder(title.isEmpty() ? "" : "### " + title + "\n\n");
        appendRow(text, rows.get(0));
        List<String> rule = new ArrayList<>(Collections.nCopies(leftColumns, "---"));
        rule.addAll(Collections.nCopies(rows.get(0).size() - leftColumns, "---:"));
        appendRow(text, rule);
        rows.subList(1, rows.size()).forEach(row -> appendRow(text, row));
        return text.toString();
    }

    /** The formatted number; empty if it is not a number. */
    public static String number(String format, double value) {
        return Double.isNaN(value) ? "" : String.format(Locale.ROOT, format, value);
    }

    private static void appendRow(StringBuilder text, List<String> row) {
        text.append("| ").append(String.join(" | ", row)).append(" |\n");
    }

    private String aligned(String cell, int column) {
        int width =
                rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0);
        String space = " ".repeat(width - cell.length());
        return column < leftColumns ? cell + space : space + cell;
    }
}
