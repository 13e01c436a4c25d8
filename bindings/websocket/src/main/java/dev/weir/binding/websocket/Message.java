package dev.weir.binding.websocket;

import org.jspecify.annotations.Nullable;

/**
 * An admitted message.
 *
 * @param ingress the message before its validation
 * @param id the sender's id of the message, which replies repeat; null if it has none
 * @param text the complete message, as sent
 */
public record Message(Ingress ingress, @Nullable String id, String text) {
    public String type() {
        return ingress.type();
    }

    /** Omits the text, which may contain anything. */
    @Override
    public String toString() {
        return "Message[" + text.length() + " characters]";
    }
}
