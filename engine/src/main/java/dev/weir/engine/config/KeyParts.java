package dev.weir.engine.config;

import static dev.weir.engine.config.Values.ordered;

import java.util.Arrays;
import java.util.List;

/** Reads a part of a limit's key: an attribute, or several of which the first present counts ({@code user|ip}). */
final class KeyParts {
    private static final String REGEX = Shapes.ATTRIBUTE + "( *\\| *" + Shapes.ATTRIBUTE + ")*";

    static final Value<List<String>> VALUE =
            Values.scalar(ordered("type", "string", "pattern", "^" + REGEX + "$"), text -> {
                if (!text.matches(REGEX)) {
                    throw new IllegalArgumentException(
                            "it must be an attribute's name, or several with '|' between them");
                }
                return Arrays.stream(text.split("\\|")).map(String::strip).toList();
            });

    private KeyParts() {}
}
