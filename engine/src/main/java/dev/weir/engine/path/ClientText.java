package dev.weir.engine.path;

/** Shortens and cleans texts of clients for messages and logs. */
public final class ClientText {
    private ClientText() {}

    /** At most {@code longest} characters, on one line, without control characters or unpaired surrogates. */
    public static String shown(String text, int longest) {
        StringBuilder shown = new StringBuilder(Math.min(text.length(), longest) + 1);
        int end = Math.min(text.length(), longest);
        for (int i = 0; i < end; i++) {
            char c = text.charAt(i);
            boolean isOdd = Character.isISOControl(c)
                    || Character.isSurrogate(c)
                    || Character.getType(c) == Character.FORMAT
                    || Character.getType(c) == Character.LINE_SEPARATOR
                    || Character.getType(c) == Character.PARAGRAPH_SEPARATOR;
            shown.append(isOdd ? '?' : c);
        }
        return end < text.length() ? shown.append('…').toString() : shown.toString();
    }
}
