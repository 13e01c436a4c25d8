package dev.weir.binding.websocket;

import org.jspecify.annotations.Nullable;

/**
 * A message that was let through.
 *
 * @param ingress what was known of it before
 * @param id the sender's own name for it, which answers repeat; null if it gave none
 * @param text all of it, as it was sent
 */
public record Message(Ingress ingress, @Nullable String id, String text) {
    public String type() {
        return ingress.type();
    }

    /** Not what it says: that may be anything. */
    @Override
    public String toString() {
        return "Message[" + text.length() + " characters]";
    }
}
