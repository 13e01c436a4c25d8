package dev.weir.store.cluster;

import dev.weir.Key;
import dev.weir.store.consensus.BytesIn.MalformedException;
import java.util.ArrayList;
import java.util.List;

/** Parses the text of a key. */
final class KeyTextParser {
    private KeyTextParser() {}

    /**
     * Returns the key whose {@link Key#text()} this is.
     *
     * @throws MalformedException if an escape is invalid
     */
    static Key parse(String text) {
        List<String> parts = new ArrayList<>();
        StringBuilder part = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == ':') {
                parts.add(part.toString());
                part.setLength(0);
            } else if (c == '%') {
                part.append(escaped(text, i));
                i += 4;
            } else {
                part.append(c);
            }
        }
        parts.add(part.toString());
        return Key.of(parts.get(0), parts.subList(1, parts.size()));
    }

    private static char escaped(String text, int at) {
        if (at + 5 > text.length()) {
            throw new MalformedException("an escape in a key is cut off");
        }
        try {
            return (char) Integer.parseInt(text.substring(at + 1, at + 5), 16);
        } catch (NumberFormatException e) {
            throw new MalformedException("an escape in a key is no number");
        }
    }
}
