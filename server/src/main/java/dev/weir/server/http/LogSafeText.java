package dev.weir.server.http;

/** Makes text of clients safe for messages: short, on one line, without control characters. */
public final class LogSafeText {
    private static final int LONGEST = 64;

    private LogSafeText() {}

    public static String text(String text) {
        int end = Math.min(text.length(), LONGEST);
        StringBuilder shown = new StringBuilder(end + 1);
        for (int i = 0; i < end; i++) {
            char c = text.charAt(i);
            shown.append(c >= ' ' && c < 0x7f ? c : '?');
        }
        return end < text.length() ? shown.append("...").toString() : shown.toString();
    }
}
