package dev.weir.cli.terminal;

import java.io.PrintWriter;
import java.util.List;

/** Lines that are redrawn in place on a terminal. Not thread-safe. */
public final class Board {
    private final PrintWriter out;
    private int drawn;

    public Board(PrintWriter out) {
        this.out = out;
    }

    /** Replaces the lines drawn before. Lines wider than the terminal are cut, so that none takes two rows. */
    public void draw(List<String> lines) {
        Terminal.Size size = Terminal.size();
        StringBuilder text = new StringBuilder();
        if (drawn > 0) {
            text.append("\u001b[").append(drawn).append('A');
        }
        int rows = Math.min(lines.size(), size.height() - 1);
        for (String line : lines.subList(0, rows)) {
            text.append('\r').append(cut(line, size.width() - 1)).append("\u001b[K\n");
        }
        text.append("\u001b[J");
        out.print(text);
        out.flush();
        drawn = rows;
    }

    /** A line of at most this many characters; styles in it are kept and ended. */
    static String cut(String line, int width) {
        if (Style.width(line) <= width) {
            return line;
        }
        StringBuilder cut = new StringBuilder();
        int shown = 0;
        for (int i = 0; i < line.length() && shown < width; i++) {
            char c = line.charAt(i);
            if (c == '\u001b') {
                int end = line.indexOf('m', i);
                cut.append(line, i, end + 1);
                i = end;
            } else {
                cut.append(c);
                shown += Character.isLowSurrogate(c) ? 0 : 1;
            }
        }
        return cut.append(line.indexOf('\u001b') < 0 ? "" : "\u001b[0m").toString();
    }
}
