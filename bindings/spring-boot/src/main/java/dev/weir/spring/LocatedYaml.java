package dev.weir.spring;

import dev.weir.engine.config.ConfigurationReader;
import dev.weir.engine.config.ConfigurationReader.Result;
import dev.weir.engine.config.Fault;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.TextResourceOrigin;

/** Writes a tree of properties as YAML, one value a line. So a fault in a line maps to the location of its property. */
final class LocatedYaml {
    private final String name;
    private final StringBuilder text = new StringBuilder();
    /** The property of each line; null for lines without one. */
    private final List<@Nullable Leaf> lines = new ArrayList<>();

    /** A value with its origin. */
    record Leaf(String property, Object value, @Nullable Origin origin) {}

    /** A list under construction, by index. The indexes arrive in any order. */
    static final class Items extends TreeMap<String, Object> {
        Items() {
            // "10" comes after "9".
            super((a, b) -> a.length() != b.length() ? Integer.compare(a.length(), b.length()) : a.compareTo(b));
        }
    }

    LocatedYaml(Map<String, Object> tree, String name) {
        this.name = name;
        entries(tree, "");
    }

    Result read(ConfigurationReader reader) {
        Result result = reader.read(name, text.toString());
        return result instanceof Result.Rejected rejected
                ? new Result.Rejected(
                        rejected.faults().stream().map(this::placed).toList())
                : result;
    }

    @Override
    public String toString() {
        return text.toString();
    }

    private void entries(Map<?, ?> entries, String indent) {
        entries.forEach((key, value) -> node(indent + quoted(String.valueOf(key)) + ":", value, indent, key));
    }

    private void items(Collection<?> items, String indent) {
        items.forEach(item -> node(indent + "-", item, indent, null));
    }

    private void node(String opening, @Nullable Object value, String indent, @Nullable Object key) {
        if (value instanceof Items items) {
            line(opening, firstLeaf(value));
            items(items.values(), indent + "  ");
        } else if (value instanceof Map<?, ?> entries && !entries.isEmpty()) {
            line(opening, firstLeaf(value));
            entries(entries, indent + "  ");
        } else if (value instanceof List<?> items && !items.isEmpty()) {
            line(opening, null);
            items(items, indent + "  ");
        } else {
            line(opening + " " + scalar(value, key), value instanceof Leaf leaf ? leaf : null);
        }
    }

    private void line(String content, @Nullable Leaf leaf) {
        text.append(content).append('\n');
        lines.add(leaf);
    }

    private static @Nullable Leaf firstLeaf(Object node) {
        if (node instanceof Leaf leaf) {
            return leaf;
        }
        return node instanceof Map<?, ?> map && !map.isEmpty()
                ? firstLeaf(map.values().iterator().next())
                : null;
    }

    /** Writes numbers and booleans unquoted, also those that a properties file has as text; quotes the rest. */
    private static String scalar(@Nullable Object value, @Nullable Object key) {
        Object bare = value instanceof Leaf leaf ? leaf.value : value;
        if (bare instanceof Collection<?>) {
            return "[]";
        }
        if (bare instanceof Map<?, ?>) {
            return "{}";
        }
        String written = bare == null ? "" : bare.toString();
        if (written.isEmpty()) {
            // The value that Spring uses for an empty list, and for null.
            return "per".equals(key) ? "[]" : "null";
        }
        return written.matches("[0-9][0-9_]*|true|false") ? written : quoted(written);
    }

    private static String quoted(String value) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ' || c == 0x7f || (c >= 0x80 && c < 0xa0) || c == 0x2028 || c == 0x2029) {
                quoted.append(String.format("\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }

    private Fault placed(Fault fault) {
        Leaf leaf = fault.line() > lines.size() ? null : lines.get(fault.line() - 1);
        if (leaf == null) {
            return fault;
        }
        TextResourceOrigin origin = Origins.file(leaf.origin);
        return origin == null
                ? new Fault("the property " + leaf.property, 1, 1, fault.message())
                : new Fault(
                        Origins.name(origin),
                        origin.getLocation().getLine() + 1,
                        origin.getLocation().getColumn() + 1,
                        fault.message());
    }
}
