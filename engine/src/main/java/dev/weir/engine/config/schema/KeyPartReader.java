package dev.weir.engine.config.schema;

import static dev.weir.engine.config.schema.ValueTypes.ordered;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Reads a part of a limit's key: an attribute, or alternatives of which the first present one counts ({@code user|ip}).
 */
final class KeyPartReader {
    /** For the schema only: in Java, a group with many repetitions would exhaust the stack. */
    private static final String REGEX = ConfigurationKeys.ATTRIBUTE + "( *\\| *" + ConfigurationKeys.ATTRIBUTE + ")*";

    private static final Pattern ATTRIBUTE = Pattern.compile(ConfigurationKeys.ATTRIBUTE);

    static final ValueType<List<String>> VALUE =
            ValueTypes.scalar(ordered("type", "string", "pattern", "^" + REGEX + "$"), KeyPartReader::parse);

    private KeyPartReader() {}

    private static List<String> parse(String text) {
        List<String> attributes =
                Arrays.stream(text.split("\\|", -1)).map(String::strip).toList();
        if (!attributes.stream()
                .allMatch(attribute -> ATTRIBUTE.matcher(attribute).matches())) {
            throw new IllegalArgumentException("it must be an attribute's name, or several with '|' between them");
        }
        return attributes;
    }
}
