package dev.weir.engine.config.schema;

import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;

/** Explains a text that is not YAML: where the mistake begins, and how to mend it. */
final class YamlFaultText {
    private static final Pattern ODD_CHARACTER =
            Pattern.compile("found character '(.+?)' that cannot start any token.*");
    /** The indentation of a line and, if it is the item of a list, the dash. */
    private static final Pattern INDENT = Pattern.compile("^( *)((?:- +)*)(.*)$");

    private final List<String> lines;

    YamlFaultText(String text) {
        this.lines = text.lines().toList();
    }

    /** A mistake and where it begins. */
    record Explained(SourceLocation location, String message) {}

    Explained explain(MarkedYamlEngineException e) {
        String problem = e.getProblem() == null ? "it cannot be understood" : oneLine(e.getProblem());
        String context = e.getContext() == null ? "" : e.getContext();
        SourceLocation at = location(e.getProblemMark().or(e::getContextMark));
        SourceLocation begin = location(e.getContextMark().or(e::getProblemMark));
        Matcher odd = ODD_CHARACTER.matcher(problem);
        if (context.contains("quoted scalar") && problem.contains("end of stream")) {
            return new Explained(begin, "a quote is opened here and never closed; add the closing " + quoteAt(begin));
        }
        if (problem.contains("expected <block end>")) {
            return blockEnd(begin, at, problem);
        }
        if (problem.startsWith("mapping values are not allowed")) {
            return colon(at);
        }
        if (problem.contains("could not find expected ':'")) {
            return new Explained(begin, "this line has no ':'; a key needs one, such as 'rate: 60/min'");
        }
        if (context.contains("flow sequence")) {
            return new Explained(begin, "a list is opened here by '[' and not closed; add ']' where it ends");
        }
        if (context.contains("flow mapping")) {
            return new Explained(begin, "a mapping is opened here by '{' and not closed; add '}' where it ends");
        }
        if (context.contains("flow node") && problem.contains("found '-'")) {
            return new Explained(
                    at, "an item with '-' is inside '[ ]'; separate items by commas there, or remove the bracket");
        }
        if (odd.matches()) {
            return new Explained(
                    at,
                    odd.group(1).contains("TAB")
                            ? "a tab indents this line; YAML allows only spaces there"
                            : "a value cannot begin with '" + odd.group(1) + "'; put it in quotes");
        }
        return new Explained(at, "this is not YAML: " + problem + (context.isEmpty() ? "" : " " + oneLine(context)));
    }

    private String quoteAt(SourceLocation location) {
        String line = line(location.line());
        int index = location.column() - 1;
        return index < line.length() && line.charAt(index) == '\'' ? "single quote (')" : "double quote (\")";
    }

    /** A line that fits no mapping or list that is open. */
    private Explained blockEnd(SourceLocation begin, SourceLocation at, String problem) {
        int found = indent(at.line());
        if (at.column() - 1 != found && !problem.contains("start>'") && !problem.contains("'?'")) {
            return new Explained(at, "there is more text behind a complete value; put the whole value in quotes");
        }
        if (found == begin.column() - 1) {
            return new Explained(
                    at,
                    "this line and line " + begin.line() + " are indented alike, by " + spaces(found)
                            + ", but one is an item of a list and the other a key; indent the one that belongs to the other");
        }
        return new Explained(
                new SourceLocation(at.line(), found + 1),
                "this line is indented by " + spaces(found) + ", but what it continues began on line " + begin.line()
                        + " with " + spaces(begin.column() - 1) + "; indent both alike");
    }

    /** A colon where no key can be: in a value, or in a line that is indented more than its mapping. */
    private Explained colon(SourceLocation at) {
        String line = line(at.line());
        int indent = indent(at.line());
        String before = line.substring(0, Math.min(line.length(), at.column() - 1));
        int previous = previousLine(at.line());
        boolean isFirst = !before.strip().contains(": ");
        if (!isFirst || previous == 0) {
            return new Explained(at, "a second ':' in one value; put the value in quotes if the colon belongs to it");
        }
        String above = line(previous);
        if (!above.contains(":")) {
            return new Explained(
                    new SourceLocation(previous, keyColumn(previous) + 1),
                    "this line has no ':'; a key needs one, such as 'rate: 60/min'");
        }
        return new Explained(
                new SourceLocation(at.line(), indent + 1),
                "this line is indented by " + spaces(indent) + ", but the mapping of line " + previous + " by "
                        + spaces(keyColumn(previous)) + "; indent both alike");
    }

    private int previousLine(int number) {
        for (int i = number - 1; i >= 1; i--) {
            String stripped = line(i).strip();
            if (!stripped.isEmpty() && !stripped.startsWith("#")) {
                return i;
            }
        }
        return 0;
    }

    private String line(int number) {
        return number >= 1 && number <= lines.size() ? lines.get(number - 1) : "";
    }

    private int indent(int number) {
        Matcher matcher = INDENT.matcher(line(number));
        return matcher.matches() ? matcher.group(1).length() : 0;
    }

    /** The column of a line's key, counted from 0: behind the dash of an item. */
    private int keyColumn(int number) {
        Matcher matcher = INDENT.matcher(line(number));
        return matcher.matches() ? matcher.group(1).length() + matcher.group(2).length() : 0;
    }

    private static String spaces(int count) {
        return count + (count == 1 ? " space" : " spaces");
    }

    private static SourceLocation location(Optional<Mark> mark) {
        return mark.map(found -> new SourceLocation(found.getLine() + 1, found.getColumn() + 1))
                .orElse(SourceLocation.START);
    }

    private static String oneLine(String message) {
        String line = message.lines().findFirst().orElse("it cannot be understood");
        return Faults.oneLine(line, 200);
    }
}
