package dev.weir.store.jdbc.rows;

import dev.weir.Policy;
import dev.weir.ledger.PolicyFields;
import java.time.Duration;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Locale;

/** The text of a policy in a row: its kind and its fields, separated by spaces; periods in nanoseconds. */
final class PolicyText {
    private PolicyText() {}

    static String format(Policy policy) {
        PolicyFields fields = PolicyFields.of(policy);
        StringBuilder text = new StringBuilder(fields.kind().name().toLowerCase(Locale.ROOT));
        for (Object value : fields.values()) {
            text.append(' ').append(value instanceof Duration period ? (Object) period.toNanos() : value);
        }
        return text.toString();
    }

    /**
     * The policy that {@link #format} wrote.
     *
     * @throws IllegalArgumentException if the text is not that of a policy
     */
    static Policy parse(String text) {
        Iterator<String> words = Arrays.asList(text.split(" ", -1)).iterator();
        try {
            PolicyFields.Kind kind = PolicyFields.Kind.valueOf(words.next().toUpperCase(Locale.ROOT));
            return PolicyFields.read(kind, type -> field(type, words.next()));
        } catch (RuntimeException e) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not a policy that this version knows; a newer one may have written it", e);
        }
    }

    private static Object field(Class<?> type, String word) {
        if (type == Duration.class) {
            return Duration.ofNanos(Long.parseLong(word));
        }
        return type == Long.class ? (Object) Long.parseLong(word) : word;
    }
}
