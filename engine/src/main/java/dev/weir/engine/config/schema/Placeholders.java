package dev.weir.engine.config.schema;

import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Replaces <code>${NAME:default}</code> and <code>${NAME}</code> by the value of an environment variable.
 *
 * <p>An empty variable counts as not set. A default ends at the first brace and is used literally. Values of variables
 * are not expanded again. <code>$${</code> is a literal <code>${</code>.
 */
public final class Placeholders {
    private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\$\\{|\\$\\{([^}:]*)(:([^}]*))?(\\})?");
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_.]*");

    private final @Nullable Function<String, @Nullable String> environment;

    public Placeholders(Function<String, @Nullable String> environment) {
        this.environment = environment;
    }

    private Placeholders() {
        this.environment = null;
    }

    /** Replaces nothing, for files of other programs, which have no placeholders. */
    public static Placeholders none() {
        return new Placeholders();
    }

    /** A text with its placeholders replaced, and whether there were any. */
    record Replaced(String text, boolean any) {}

    /** Replaces every placeholder of a text; null if one has no value, which is then among the faults. */
    @Nullable
    Replaced replace(String text, SourceLocation location, Faults faults) {
        Function<String, @Nullable String> variables = environment;
        if (variables == null || !text.contains("${")) {
            return new Replaced(text, false);
        }
        Matcher placeholder = PLACEHOLDER.matcher(text);
        StringBuilder replaced = new StringBuilder();
        boolean any = false;
        boolean failed = false;
        while (placeholder.find()) {
            String value = "${";
            if (!placeholder.group().equals("$${")) {
                value = value(variables, placeholder, location, faults);
                any = true;
                failed |= value == null;
            }
            placeholder.appendReplacement(replaced, Matcher.quoteReplacement(value == null ? "" : value));
        }
        placeholder.appendTail(replaced);
        return failed ? null : new Replaced(replaced.toString(), any);
    }

    private static @Nullable String value(
            Function<String, @Nullable String> variables, Matcher placeholder, SourceLocation location, Faults faults) {
        String name = placeholder.group(1);
        if (placeholder.group(4) == null) {
            faults.add(
                    location,
                    Faults.quote(placeholder.group()) + " has no closing brace; write ${NAME} or"
                            + " ${NAME:default}, or $${ for the characters themselves");
            return null;
        }
        if (name == null || !NAME.matcher(name).matches()) {
            faults.add(
                    location,
                    Faults.quote(placeholder.group())
                            + " names no environment variable; a name has letters, digits, '_' and '.', and $${ is"
                            + " for the characters themselves");
            return null;
        }
        String set = variables.apply(name);
        String value = set != null && !set.isEmpty() ? set : placeholder.group(3);
        if (value == null) {
            faults.add(
                    location,
                    "the environment variable " + name + " is not set; set it, or give a default: ${" + name
                            + ":default}");
        }
        return value;
    }
}
