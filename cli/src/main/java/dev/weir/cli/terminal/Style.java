package dev.weir.cli.terminal;

/**
 * Colours and weights of text on a terminal; the text itself where they are off.
 *
 * @param isOn whether escape sequences may be written
 */
public record Style(boolean isOn) {
    /** Plain text. */
    public static final Style PLAIN = new Style(false);

    public String bold(String text) {
        return with("1", text);
    }

    public String dim(String text) {
        return with("2", text);
    }

    public String red(String text) {
        return with("31", text);
    }

    public String green(String text) {
        return with("32", text);
    }

    public String yellow(String text) {
        return with("33", text);
    }

    public String cyan(String text) {
        return with("36", text);
    }

    private String with(String code, String text) {
        return isOn && !text.isEmpty() ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
    }

    /** The number of characters that a text takes on a terminal: without escape sequences. */
    static int width(String text) {
        int width = 0;
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) == '\u001b') {
                int end = text.indexOf('m', i);
                i = end < 0 ? text.length() : end;
            } else if (!Character.isLowSurrogate(text.charAt(i))) {
                width++;
            }
        }
        return width;
    }
}
