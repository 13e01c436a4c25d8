package dev.weir.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Arguments of the form {@code key=value}. */
final class AttributeArguments {
    private AttributeArguments() {}

    /**
     * Parses attributes, in their order.
     *
     * @throws ParameterException if one is empty, given twice or of another form
     */
    static Map<String, String> parse(List<String> pairs, CommandLine command) {
        Map<String, String> attributes = new LinkedHashMap<>();
        for (String pair : pairs) {
            int equals = pair.indexOf('=');
            if (equals < 1) {
                throw new ParameterException(
                        command, "'" + pair + "' is not an attribute; write key=value, such as user=u1");
            }
            String name = pair.substring(0, equals);
            if (equals == pair.length() - 1) {
                throw new ParameterException(
                        command, "attribute '" + name + "' is empty; give it a value, or leave it out");
            }
            if (attributes.put(name, pair.substring(equals + 1)) != null) {
                throw new ParameterException(command, "attribute '" + name + "' is given twice; give it once");
            }
        }
        return attributes;
    }
}
