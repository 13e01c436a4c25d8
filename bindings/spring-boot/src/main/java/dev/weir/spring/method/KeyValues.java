package dev.weir.spring.method;

import dev.weir.engine.AttributeText;
import dev.weir.engine.config.LimitRule;
import java.net.InetAddress;
import java.security.Principal;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Converts the value of a key expression to attributes of the limit. */
final class KeyValues {
    private KeyValues() {}

    /**
     * Converts a value.
     *
     * @param where the key, for messages
     * @throws IllegalStateException if it is no key; a call without a known budget must not happen
     */
    static Map<String, String> of(@Nullable Object value, LimitRule limit, String where) {
        Object key = value instanceof Optional<?> optional ? optional.orElse(null) : value;
        if (key instanceof Map<?, ?> named) {
            Map<String, String> attributes = new LinkedHashMap<>();
            named.forEach((name, part) -> attributes.put(String.valueOf(name), text(part, where + " at " + name)));
            return attributes;
        }
        List<List<String>> per = limit.per();
        if (per.isEmpty()) {
            throw new IllegalStateException(
                    where + " is superfluous: the limit is one for all; give it a 'per', or leave the key out");
        }
        Collection<?> parts = key instanceof Collection<?> collection
                ? collection
                : key instanceof Object[] array ? Arrays.asList(array) : Arrays.asList(key);
        if (parts.size() != per.size()) {
            throw new IllegalStateException(where + " has " + parts.size() + " parts; the limit is per " + per
                    + ", so it must have " + per.size());
        }
        Map<String, String> attributes = new LinkedHashMap<>();
        Iterator<?> next = parts.iterator();
        for (List<String> alternatives : per) {
            attributes.put(alternatives.get(0), text(next.next(), where));
        }
        return attributes;
    }

    /**
     * Accepts only types whose text is equal for the same subject. The text of an arbitrary object differs each time.
     */
    private static String text(@Nullable Object value, String where) {
        if (value instanceof Optional<?> optional) {
            return text(optional.orElse(null), where);
        }
        String text;
        if (value == null) {
            throw new IllegalStateException(where + " is null; it must name the subject of the budget");
        } else if (value instanceof CharSequence || value instanceof Number || value instanceof Boolean) {
            text = value.toString();
        } else if (value instanceof Enum<?> constant) {
            text = constant.name();
        } else if (value instanceof UUID || value instanceof Character) {
            text = value.toString();
        } else if (value instanceof Principal principal) {
            return text(principal.getName(), where);
        } else if (value instanceof InetAddress address) {
            text = address.getHostAddress();
        } else {
            throw new IllegalStateException(where + " is a " + value.getClass().getName()
                    + "; it must be a text, a number, a principal, or a list or map of these");
        }
        if (text.isEmpty()) {
            throw new IllegalStateException(where + " is empty; it must name the subject of the budget");
        }
        return AttributeText.bounded(text);
    }
}
