package dev.weir.binding.websocket;

/** Computes the length of a text in UTF-8. */
final class Utf8Length {
    private Utf8Length() {}

    /** Returns the length in bytes. Counting stops once the length exceeds the bound. */
    static int length(String text, int bound) {
        if (text.length() > bound) {
            return text.length();
        }
        int length = 0;
        for (int i = 0; i < text.length() && length <= bound; i++) {
            char c = text.charAt(i);
            if (c < 0x80) {
                length += 1;
            } else if (c < 0x800) {
                length += 2;
            } else if (Character.isHighSurrogate(c)) {
                length += 4;
                i++;
            } else {
                length += 3;
            }
        }
        return length;
    }
}
