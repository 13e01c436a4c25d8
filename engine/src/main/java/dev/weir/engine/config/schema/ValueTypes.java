package dev.weir.engine.config.schema;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The types of values, from which {@link ConfigurationKeys} builds the language. */
public final class ValueTypes {
    /** The schema of a text with a placeholder, which is valid for any type. */
    static final Map<String, Object> PLACEHOLDER = Map.of("$ref", "#/$defs/placeholder");

    /** The longest value, in characters: the URI of a store with many nodes has some hundred. */
    private static final int LONGEST = 4_096;

    private ValueTypes() {}

    /** Parses one scalar. */
    interface Parser<T> {
        /**
         * Parses the value.
         *
         * @throws IllegalArgumentException if it is invalid; the message is the requirement: {@code it must be 1 to
         *     128}
         */
        T parse(String text);
    }

    /** A scalar with its parser. */
    static <T> ValueType<T> scalar(Map<String, Object> schema, Parser<T> parser) {
        return new ValueType<>(anyOf(schema, PLACEHOLDER), (node, what, faults) -> {
            if (node instanceof Yaml.Broken) {
                return null;
            }
            if (node instanceof Yaml.Scalar scalar && scalar.text().length() > LONGEST) {
                faults.add(
                        node.location(),
                        what + " has " + scalar.text().length() + " characters; it must have at most " + LONGEST);
                return null;
            }
            try {
                return parser.parse(node instanceof Yaml.Scalar scalar && !scalar.isNull() ? scalar.text() : "");
            } catch (IllegalArgumentException e) {
                faults.add(node.location(), what + " is " + Yaml.describe(node) + "; " + e.getMessage());
                return null;
            }
        });
    }

    static final ValueType<Boolean> FLAG = scalar(Map.of("type", "boolean"), text -> switch (text) {
        case "true", "True", "TRUE" -> true;
        case "false", "False", "FALSE" -> false;
        default -> throw new IllegalArgumentException("it must be true or false");
    });

    /** A whole number, in which underscores may group digits. */
    static ValueType<Long> number(long least, long most) {
        Map<String, Object> number = ordered("type", "integer", "minimum", least, "maximum", most);
        return scalar(anyOf(number, ordered("type", "string", "pattern", "^[0-9][0-9_]*$")), text -> {
            long count = Numbers.parse(text, least + " to " + most);
            if (count < least || count > most) {
                throw new IllegalArgumentException("it must be " + least + " to " + most);
            }
            return count;
        });
    }

    /** Any text that is not empty; numbers and flags count as the text that was written. */
    static final ValueType<String> TEXT = scalar(ordered("type", List.of("string", "number", "boolean")), text -> {
        if (text.isBlank()) {
            throw new IllegalArgumentException("it needs a text");
        }
        return text;
    });

    /** A text that matches a regular expression. */
    public static ValueType<String> text(String regex, String need) {
        Pattern pattern = Pattern.compile(regex);
        return scalar(ordered("type", "string", "pattern", "^(" + regex + ")$"), text -> {
            if (!pattern.matcher(text).matches()) {
                throw new IllegalArgumentException(need);
            }
            return text;
        });
    }

    /** One of an enum's constants. */
    public static <E extends Enum<E>> ValueType<E> choice(Class<E> type) {
        List<String> names =
                Arrays.stream(type.getEnumConstants()).map(Object::toString).toList();
        return scalar(ordered("type", "string", "enum", names), text -> {
            for (E constant : type.getEnumConstants()) {
                if (constant.toString().equals(text)) {
                    return constant;
                }
            }
            throw new IllegalArgumentException(
                    "it must be " + String.join(" or ", names) + Faults.didYouMean(text, names));
        });
    }

    /** A list, or a single item that stands for a list of one. */
    static <T> ValueType<List<Located<T>>> listOrOne(ValueType<T> item) {
        Map<String, Object> list = ordered("type", "array", "items", item.schema());
        return new ValueType<>(anyOf(item.schema(), list), (node, what, faults) -> {
            List<Yaml> nodes = node instanceof Yaml.Items items ? items.items() : List.of(node);
            return each(nodes, what, item, faults);
        });
    }

    /** A list. */
    public static <T> ValueType<List<Located<T>>> list(ValueType<T> item) {
        return new ValueType<>(ordered("type", "array", "items", item.schema()), (node, what, faults) -> {
            if (node instanceof Yaml.Items items) {
                return each(items.items(), what, item, faults);
            }
            expected("a list", node, what, faults);
            return null;
        });
    }

    private static <T> List<Located<T>> each(List<Yaml> nodes, String what, ValueType<T> item, Faults faults) {
        List<Located<T>> read = new ArrayList<>();
        for (Yaml node : nodes) {
            T value = item.read(node, what, faults);
            if (value != null) {
                read.add(new Located<>(node.location(), value));
            }
        }
        return read;
    }

    /** A mapping whose keys have their own type; the location of each value is that of its key. */
    static <T> ValueType<Map<String, Located<T>>> map(ValueType<String> key, ValueType<T> item) {
        Map<String, Object> schema = ordered("type", "object", "additionalProperties", item.schema());
        if (key.schema().get("anyOf") instanceof List<?> forms && !forms.isEmpty() && !key.equals(TEXT)) {
            schema.put("propertyNames", forms.get(0));
        }
        return new ValueType<>(schema, (node, what, faults) -> {
            if (!(node instanceof Yaml.Entries mapping)) {
                expected("a mapping", node, what, faults);
                return null;
            }
            Map<String, Located<T>> read = new LinkedHashMap<>();
            for (Yaml.Entry entry : mapping.entries()) {
                Yaml written = new Yaml.Scalar(entry.location(), entry.key(), false, false);
                String name = key.read(written, "a key of " + what, faults);
                T value = item.read(entry.value(), entry.key().isBlank() ? what : entry.key(), faults);
                if (name != null && value != null) {
                    read.put(name, new Located<>(entry.location(), value));
                }
            }
            return read;
        });
    }

    /** A mapping with fixed keys. */
    public static <T> ValueType<T> mapping(String ref, BiFunction<Yaml.Entries, Faults, @Nullable T> read) {
        return new ValueType<>(Map.of("$ref", "#/$defs/" + ref), (node, what, faults) -> {
            if (node instanceof Yaml.Entries mapping) {
                return read.apply(mapping, faults);
            }
            expected("a mapping", node, what, faults);
            return null;
        });
    }

    /** Reports that another type was needed. */
    public static void expected(String needed, Yaml node, String what, Faults faults) {
        if (!(node instanceof Yaml.Broken)) {
            faults.add(node.location(), what + " is " + Yaml.describe(node) + "; it must be " + needed);
        }
    }

    /** An ordered map of alternating keys and values. */
    public static Map<String, Object> ordered(Object... keysAndValues) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            map.put((String) keysAndValues[i], keysAndValues[i + 1]);
        }
        return map;
    }

    @SafeVarargs
    static Map<String, Object> anyOf(Map<String, Object>... schemas) {
        List<Object> all = new ArrayList<>();
        for (Map<String, Object> schema : schemas) {
            if (schema.size() == 1 && schema.get("anyOf") instanceof List<?> inner) {
                inner.stream().filter(form -> !all.contains(form)).forEach(all::add);
            } else if (!all.contains(schema)) {
                all.add(schema);
            }
        }
        return ordered("anyOf", all);
    }
}
